// A picture as a file: as SVG, or as PNG of twice its size on its own ground, or on white.
export async function savePicture(name, svg) {
  const link = Object.assign(document.createElement("a"), { download: name });
  const url = URL.createObjectURL(new Blob([svg], { type: "image/svg+xml" }));
  setTimeout(() => URL.revokeObjectURL(url), 10000);
  if (name.endsWith(".png")) {
    const image = Object.assign(new Image(), { src: url });
    await image.decode();
    const ratio = image.width < 4000 ? 2 : 1;
    const canvas = Object.assign(document.createElement("canvas"), { width: image.width * ratio, height: image.height * ratio });
    const pen = Object.assign(canvas.getContext("2d"), { fillStyle: "#fff" });
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    link.href = canvas.toDataURL("image/png");
  } else link.href = url;
  link.click();
}
