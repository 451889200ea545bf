/** What is said of an element that has no name: what it looks like, and where it is. */
import type { AnyElement } from '../../any-element.ts'
import { boxOf, styleOf } from '../../measure.ts'
import { colourName } from './colours.ts'

/**
 * In pixels of the view; at last the left and top of the element that it is a part of. Width and
 * height are 0 if only the position is told.
 */
export type ElementPlace = readonly [
  left: number,
  top: number,
  width: number,
  height: number,
  aroundLeft: number,
  aroundTop: number,
]

/** Where the top left corner of a frame's document is in the view of the page. */
export type FrameOrigin = readonly [left: number, top: number]

const svgShapes = new Set('circle ellipse rect line polyline polygon path g use text'.split(' '))

export const isShape = (element: Element) =>
  svgShapes.has(element.localName) && element.namespaceURI === 'http://www.w3.org/2000/svg'

/** The kind and the colour: `circle red`, `box #3a7bd5`; empty for what has neither. */
export function looksOf(element: AnyElement): string {
  if (isShape(element)) {
    return `${element.localName} ${paintOf(element)}`.trim()
  }
  const style = styleOf(element)
  const colour = colourName(style.backgroundColor)
  if (colour === '') return style.backgroundImage === 'none' ? '' : 'picture'
  const radius = style.borderTopLeftRadius
  const round = parseFloat(radius) * (radius.endsWith('%') ? element.clientWidth / 100 : 1)
  return `${round > 0 && round >= element.clientWidth / 2 ? 'circle' : 'box'} ${colour}`
}

/** Of the first shape inside, for groups. */
function paintOf(shape: Element): string {
  const painted = shape.localName === 'g' ? [...shape.children].find(isShape) : shape
  if (!painted) return ''
  const { fill, stroke } = styleOf(painted)
  const colour = fill === 'none' || painted.localName === 'line' ? stroke : fill
  return colour === 'none' ? '' : colourName(colour)
}

/** In the view of the outermost document of this origin. */
export function boxPlaceOf(element: Element, around = element): ElementPlace {
  const [rect, outer] = [boxOf(element), boxOf(around)]
  const [left, top] = windowOrigin(element.ownerDocument.defaultView!)
  const [x, y, aroundX, aroundY] = [rect.left, rect.top, outer.left, outer.top].map(Math.round)
  const [offsetX, offsetY] = [Math.round(left), Math.round(top)]
  return [
    x! + offsetX,
    y! + offsetY,
    Math.round(rect.width),
    Math.round(rect.height),
    aroundX! + offsetX,
    aroundY! + offsetY,
  ]
}

function windowOrigin({ frameElement }: Window): FrameOrigin {
  return frameElement === null ? [0, 0] : originIn(frameElement)
}

export function originIn(frame: Element): FrameOrigin {
  const rect = boxOf(frame)
  const [left, top] = windowOrigin(frame.ownerDocument.defaultView!)
  return [left + rect.left + frame.clientLeft, top + rect.top + frame.clientTop]
}
