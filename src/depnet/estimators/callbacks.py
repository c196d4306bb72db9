"""Progress through scikit-learn's callbacks (1.9 and later); with an older one, nothing is called.

`estimator.set_callbacks(ProgressBar())` shows the rounds of completion and the nodes as they are learned.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar

if TYPE_CHECKING:
    HAVE_CALLBACKS = True
    _Method = TypeVar("_Method", bound=Callable[..., Any])

    class CallbackSupportMixin:
        """What scikit-learn's mixin is to a type checker."""

    def with_callbacks(method: _Method) -> _Method:
        """The method as it is."""
        return method

else:
    try:
        from sklearn.callback import CallbackSupportMixin, with_callbacks

        HAVE_CALLBACKS = True
    except ImportError:
        HAVE_CALLBACKS = False

        class CallbackSupportMixin:
            """Nothing: this scikit-learn has no callbacks."""

        def with_callbacks(method):
            """The method as it is."""
            return method


__all__ = ["CallbackSupportMixin", "Tasks", "with_callbacks"]


class Tasks:
    """A fit as `total` equal tasks, told to the estimator's callbacks one by one."""

    def __init__(self, estimator: Any, name: str, total: int) -> None:
        self._estimator, self._name, self._total, self._told = estimator, name, total, 0
        self._context: Any = None
        if HAVE_CALLBACKS and getattr(estimator, "_skl_callbacks", None):
            self._context = estimator._init_callback_context(max_subtasks=total)  # noqa: SLF001  # scikit-learn asks for it
            self._context.call_on_fit_task_begin(estimator=estimator)

    def until(self, done: int) -> None:
        """`done` tasks are done."""
        if self._context is None:
            return
        while self._told < min(done, self._total):
            self._told += 1
            task = self._context.subcontext(task_name=self._name)
            task.call_on_fit_task_begin(estimator=self._estimator)
            task.call_on_fit_task_end(estimator=self._estimator)

    def __enter__(self) -> "Tasks":
        return self

    def __exit__(self, failed: type[BaseException] | None, *_: object) -> None:
        """All that was to do is done, be it fewer tasks than were foreseen."""
        if self._context is not None and failed is None:
            self._context.call_on_fit_task_end(estimator=self._estimator)
