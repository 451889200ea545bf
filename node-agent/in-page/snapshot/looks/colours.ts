/** Names of colours. */
import { colourOf } from '../visible.ts'

/** Those of HTML's first sixteen and a few more that everybody knows, as red, green and blue. */
const colourNames: Readonly<Record<string, readonly [number, number, number]>> = {
  black: [0, 0, 0],
  white: [255, 255, 255],
  gray: [128, 128, 128],
  silver: [192, 192, 192],
  red: [255, 0, 0],
  maroon: [128, 0, 0],
  orange: [255, 165, 0],
  yellow: [255, 255, 0],
  olive: [128, 128, 0],
  lime: [0, 255, 0],
  green: [0, 128, 0],
  aqua: [0, 255, 255],
  teal: [0, 128, 128],
  blue: [0, 0, 255],
  navy: [0, 0, 128],
  fuchsia: [255, 0, 255],
  purple: [128, 0, 128],
  pink: [255, 192, 203],
  brown: [165, 42, 42],
}
/** The sum of the differences up to which a colour has a name. */
const namedWithin = 24

/** `red`, or `#3a7bd5` if no name is near; empty for what is transparent or not plain. */
export function colourName(text: string): string {
  const { red, green, blue, alpha, plain } = colourOf(text)
  if (!plain || alpha < 0.05) return ''
  for (const [name, [r, g, b]] of Object.entries(colourNames)) {
    const apart = Math.abs(red - r) + Math.abs(green - g) + Math.abs(blue - b)
    if (apart <= namedWithin) return name
  }
  const hex = [red, green, blue].map((one) => Math.round(one).toString(16).padStart(2, '0'))
  return `#${hex.join('')}`
}
