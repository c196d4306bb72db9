"""A table with holes: some mean something, some do not, and answers are what a group-by of the known cells says."""

import numpy as np
import pandas as pd

import depnet

rng = np.random.default_rng(0)
age = rng.integers(40, 95, 3000)
died = rng.random(3000) < 1 / (1 + np.exp(-(age - 75) / 6))
cause = np.where(rng.random(3000) < 0.6, "heart", "cancer").astype(object)
cause[~died] = None  # the living have no cause of death
dose = np.round(rng.normal(20, 4, 3000) + 6 * died, 1)
dose[rng.random(3000) < 0.2] = np.nan  # sheets of paper that were lost, of anybody
patients = pd.DataFrame({"age": age, "died": np.where(died, "yes", "no"), "cause": cause, "dose": dose})

model = depnet.DependencyNetwork(random_state=0).fit(patients)
told = [variable.name for variable in model.domain_.variables if variable.missing is not None]
print(
    f"{patients.isna().sum().sum():,} cells are missing. Holes that other columns tell of: {', '.join(told)}.\n"
)

print(model.query("died", {"cause": "heart"}))
print("pandas:", patients[patients.cause == "heart"].died.value_counts(normalize=True).to_dict(), "\n")

answer = model.query("dose", {"died": "yes", "age": ">=81"})
own = patients[(patients.died == "yes") & (patients.age >= 81)].dose
print(answer)
print(f"pandas: mean {own.mean():.2f}, median {own.median():.1f}, {own.count():,} known values\n")

print(model.query("cause is missing", {"age": "<50"}))
print(f"pandas: {patients[patients.age < 50].cause.isna().mean():.4f}\n")

filled = model.impute(patients)
print(
    f"Filled: {int(patients.dose.isna().sum() - filled.dose.isna().sum()):,} doses, and "
    f"{int(patients.cause.isna().sum() - filled.cause.isna().sum()):,} causes of death of the living."
)
