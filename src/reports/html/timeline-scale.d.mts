export interface AxisEntry {
  sequence: number;
  virtualTimeUs: number;
}
export interface Axis {
  positions: Float64Array;
  length: number;
  ticks: { position: number; timeUs: number; gapUs: number }[];
}
export interface View {
  from: number;
  to: number;
}
export function elasticAxis(entries: readonly AxisEntry[]): Axis;
export function linearAxis(entries: readonly AxisEntry[], span: { fromUs: number; toUs: number }): Axis;
export function zoomed(view: View, length: number, zoom: { factor: number; at: number }): View;
export function panned(view: View, length: number, by: number): View;
export function wholeAxis(length: number): View;
