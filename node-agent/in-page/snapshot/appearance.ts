/**
 * What is said of elements that have no name, or the same: what they look like, where they are, and
 * what differs in their classes.
 */
import type { AnyElement } from '../any-element.ts'
import { documentOf, rectOf, styleOf } from '../dom.ts'
import { windowOrigin } from './frames.ts'
import { colourOf } from './visible.ts'

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

const svgShapes = new Set('circle ellipse rect line polyline polygon path g use text'.split(' '))

export const isShape = (element: Element) =>
  svgShapes.has(element.localName) && element.namespaceURI === 'http://www.w3.org/2000/svg'

/** The kind and the colour: `circle red`, `box #3a7bd5`; empty for what has neither. */
function looksOf(element: AnyElement): string {
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
  const [rect, outer] = [rectOf(element), rectOf(around)]
  const [left, top] = windowOrigin(documentOf(element).defaultView!)
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
function colourName(text: string): string {
  const { red, green, blue, alpha, plain } = colourOf(text)
  if (!plain || alpha < 0.05) return ''
  for (const [name, [r, g, b]] of Object.entries(colourNames)) {
    const apart = Math.abs(red - r) + Math.abs(green - g) + Math.abs(blue - b)
    if (apart <= namedWithin) return name
  }
  const hex = [red, green, blue].map((one) => Math.round(one).toString(16).padStart(2, '0'))
  return `#${hex.join('')}`
}

/** The part of a line that says what an element is. */
export interface DescribedPart {
  readonly role: string
  readonly name?: string
  /** A hint, beside or instead of the name. */
  hint?: string
  looks?: string
  place?: ElementPlace
}

export interface PointedElement {
  readonly part: DescribedPart
  readonly node: AnyElement
}

/** More than these are a list, in which a class says nothing that its reader does not know. */
const alikeMax = 4

/** Changes the parts. */
export function tellApart(pointed: readonly PointedElement[]): void {
  const written = ({ part: { role, name = '', hint = '' } }: PointedElement) =>
    `${role}\n${name}\n${hint}`
  for (const alike of Map.groupBy(pointed, written).values()) {
    const { name, hint } = alike[0]!.part
    if (alike.length === 1 && (name || (hint && !isShape(alike[0]!.node)))) continue
    const groups = Map.groupBy(alike, ({ node }) => containerOf(node))
    for (const group of groups.values()) tellGroupApart(group)
  }
}

/** The element whose parts it is one of: each may have wrappers of its own, with nothing else. */
function containerOf(element: Element): Element {
  const text = element.textContent?.trim()
  let around = element
  do around = around.parentElement ?? around
  while (
    around.parentElement &&
    around.childElementCount === 1 &&
    around.textContent?.trim() === text
  )
  return around
}

function tellGroupApart(group: readonly PointedElement[]): void {
  const [first] = group
  const isNamed = Boolean(first!.part.name)
  const isAlone = group.length === 1
  if (isNamed && group.length !== 2) return
  if (isAlone && first!.part.hint && !isShape(first!.node)) return
  const words = isAlone || group.length > alikeMax ? undefined : wordsApart(group)
  if (words) for (const [at, { part }] of group.entries()) part.hint = words[at]!
  else if (!isNamed) tellPlaces(group)
}

/** Fields and boxes to tick look alike everywhere, so only their position is told. */
const lookAlike = /box$|^(radio|switch|slider|spinbutton|date|time|month|week|datetime|file)$/

function tellPlaces(group: readonly PointedElement[]): void {
  for (const { part, node } of group) {
    const isField = lookAlike.test(part.role)
    const looks = isField ? '' : looksOf(node)
    if (looks) part.looks = looks
    const [x, y, width, height, aroundX, aroundY] = boxPlaceOf(node, containerOf(node))
    part.place = [x, y, isField ? 0 : width, isField ? 0 : height, aroundX, aroundY]
  }
}

/** A class that only one of them has, or the position of one of a pair. */
function wordsApart(group: readonly PointedElement[]): readonly string[] | undefined {
  const classes = group.map(({ node }) => [
    ...node.classList,
    ...(node.firstElementChild?.classList ?? []),
  ])
  const own = classes.map((words, at) =>
    words.find((word) => classes.every((others, i) => i === at || !others.includes(word))),
  )
  if (own.every((word) => word !== undefined)) return own.map((word) => `.${word}`.slice(0, 40))
  const [one, other] = group
  if (!one?.part.name || !other) return undefined
  const [a, b] = [boxPlaceOf(one.node), boxPlaceOf(other.node)]
  const [across, down] = [a[0] - b[0], a[1] - b[1]]
  if (across === 0 && down === 0) return undefined
  if (Math.abs(down) >= Math.abs(across))
    return down < 0 ? ['(upper)', '(lower)'] : ['(lower)', '(upper)']
  return across < 0 ? ['(left)', '(right)'] : ['(right)', '(left)']
}
