// The picture as a file: what is seen, as PNG or SVG.
import { echarts } from "nicegui-echart";
import { shortened } from "/depnet/network_matrix.js";

export function download(name, url) {
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
}

export function downloadText(name, text, type) {
  const url = URL.createObjectURL(new Blob([text], { type }));
  download(name, url);
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

export function graphPng(chart, surface) {
  return chart.getDataURL({ type: "png", pixelRatio: 2, backgroundColor: surface });
}

export function graphSvg(chart, surface) { // drawn once more, by ECharts' other renderer
  const drawn = echarts.init(null, null, { renderer: "svg", ssr: true, width: chart.getWidth(), height: chart.getHeight() });
  drawn.setOption({ ...chart.getOption(), backgroundColor: surface, tooltip: { show: false }, animation: false });
  const text = drawn.renderToSVGString();
  drawn.dispose();
  return text;
}

export function matrixPng({ side, marks, paint }) {
  const canvas = document.createElement("canvas");
  const ratio = side < 4000 ? 2 : 1;
  canvas.width = canvas.height = side * ratio;
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  paint(context, marks);
  return canvas.toDataURL("image/png");
}

export function matrixSvg({ side, marks, font }) {
  const escape = (text) => text.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign])
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f]/g, "\ufffd");
  const measure = document.createElement("canvas").getContext("2d");
  const parts = marks.map((mark) => {
    if (mark.text !== undefined) {
      measure.font = `${mark.size}px ${font}`;
      const turn = mark.up ? ` rotate(-90)` : "";
      return `<text transform="translate(${mark.x} ${mark.y})${turn}" dominant-baseline="central" text-anchor="${mark.up ? "start" : "end"}" `
        + `font-size="${mark.size}" fill="${mark.fill}">${escape(shortened(measure, mark.text, mark.limit))}</text>`;
    }
    const look = mark.stroke ? `fill="none" stroke="${mark.stroke}" stroke-width="${mark.line}"` : `fill="${mark.fill}"`;
    return `<rect x="${mark.x}" y="${mark.y}" width="${mark.w}" height="${mark.h}" ${look}/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}" viewBox="0 0 ${side} ${side}" font-family="${font}">${parts.join("")}</svg>`;
}
