/**
 * Tells elements apart that would be written alike: those without a name by their looks and their
 * place, two of one name by what differs in their classes, or else by their position.
 */
import type { AnyElement } from '../../any-element.ts'
import { boxPlaceOf, type ElementPlace, isShape, looksOf } from './shapes.ts'

/** The part of a line that says what an element is. */
export interface DescribedPart {
  readonly o: string
  readonly n?: string
  /** A hint, beside or instead of the name. */
  h?: string
  l?: string
  p?: ElementPlace
}

export interface PointedElement {
  readonly part: DescribedPart
  readonly node: AnyElement
}

/** More than these are a list, in which a class says nothing that its reader does not know. */
const alikeMax = 4

/** Changes the parts. */
export function tellApart(pointed: readonly PointedElement[]): void {
  for (const alike of groupsOf(pointed, ({ part: { o, n = '', h = '' } }) => `${o}\n${n}\n${h}`)) {
    const { n, h } = alike[0]!.part
    if (alike.length === 1 && (n || (h && !isShape(alike[0]!.node)))) continue
    for (const group of groupsOf(alike, ({ node }) => containerOf(node))) tellGroupApart(group)
  }
}

function groupsOf<K>(
  pointed: readonly PointedElement[],
  keyOf: (one: PointedElement) => K,
): Iterable<readonly PointedElement[]> {
  const groups = new Map<K, PointedElement[]>()
  for (const one of pointed) {
    const key = keyOf(one)
    const group = groups.get(key)
    if (group) group.push(one)
    else groups.set(key, [one])
  }
  return groups.values()
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
  const isNamed = Boolean(first!.part.n)
  const isAlone = group.length === 1
  if (isNamed && group.length !== 2) return
  if (isAlone && first!.part.h && !isShape(first!.node)) return
  const words = isAlone || group.length > alikeMax ? undefined : wordsApart(group)
  if (words) for (const [at, { part }] of group.entries()) part.h = words[at]!
  else if (!isNamed) tellPlaces(group)
}

/** Fields and boxes to tick look alike everywhere, so only their position is told. */
const lookAlike = /box$|^(radio|switch|slider|spinbutton|date|time|month|week|datetime|file)$/

function tellPlaces(group: readonly PointedElement[]): void {
  for (const { part, node } of group) {
    const isField = lookAlike.test(part.o)
    const looks = isField ? '' : looksOf(node)
    if (looks) part.l = looks
    const [x, y, width, height, aroundX, aroundY] = boxPlaceOf(node, containerOf(node))
    part.p = [x, y, isField ? 0 : width, isField ? 0 : height, aroundX, aroundY]
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
  if (!one?.part.n || !other) return undefined
  const [a, b] = [boxPlaceOf(one.node), boxPlaceOf(other.node)]
  const [across, down] = [a[0] - b[0], a[1] - b[1]]
  if (across === 0 && down === 0) return undefined
  if (Math.abs(down) >= Math.abs(across))
    return down < 0 ? ['(upper)', '(lower)'] : ['(lower)', '(upper)']
  return across < 0 ? ['(left)', '(right)'] : ['(right)', '(left)']
}
