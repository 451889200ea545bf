/** What is said of an element that has no name: what it looks like, and where it is. */
import type { AnyElement } from '../../any-element.ts'
import { colourName } from './colours.ts'

export * from './colours.ts'

/** Left, top, width and height in the view, and how far its page is scrolled. */
export type ElementPlace = readonly [
  left: number,
  top: number,
  width: number,
  height: number,
  scrolledX: number,
  scrolledY: number,
]

/** Where the top left corner of a frame's document is in the view of the page. */
export type FrameOrigin = readonly [left: number, top: number]

export const svgShapes = new Set(
  'circle ellipse rect line polyline polygon path g use text'.split(' '),
)

export const isShape = (element: Element) =>
  svgShapes.has(element.localName) && element.namespaceURI === 'http://www.w3.org/2000/svg'

/** The kind and the colour: `circle red`, `box #3a7bd5`; empty for what has neither. */
export function looksOf(element: AnyElement): string {
  if (isShape(element)) {
    return `${element.localName} ${paintOf(element)}`.trim()
  }
  const style = getComputedStyle(element)
  const colour = colourName(style.backgroundColor)
  if (colour === '') return style.backgroundImage === 'none' ? '' : 'picture'
  const radius = style.borderTopLeftRadius
  const round = parseFloat(radius) * (radius.endsWith('%') ? element.clientWidth / 100 : 1)
  return `${round > 0 && round >= element.clientWidth / 2 ? 'circle' : 'box'} ${colour}`
}

/** Of the first shape inside, for groups. */
export function paintOf(shape: Element): string {
  const painted = shape.localName === 'g' ? [...shape.children].find(isShape) : shape
  if (!painted) return ''
  const { fill, stroke } = getComputedStyle(painted)
  const colour = fill === 'none' || painted.localName === 'line' ? stroke : fill
  return colour === 'none' ? '' : colourName(colour)
}

/** In the view of the outermost document of this origin. */
export function boxPlaceOf(element: Element): ElementPlace {
  const rect = element.getBoundingClientRect()
  const view = element.ownerDocument.defaultView!
  const [left, top] = originOf(view)
  const numbers = [rect.left + left, rect.top + top, rect.width, rect.height]
  const [x = 0, y = 0, width = 0, height = 0] = numbers.map(Math.round)
  return [x, y, width, height, Math.round(view.scrollX), Math.round(view.scrollY)]
}

export function originOf({ frameElement }: Window): FrameOrigin {
  return frameElement === null ? [0, 0] : originIn(frameElement)
}

export function originIn(frame: Element): FrameOrigin {
  const rect = frame.getBoundingClientRect()
  const [left, top] = originOf(frame.ownerDocument.defaultView!)
  return [left + rect.left + frame.clientLeft, top + rect.top + frame.clientTop]
}
