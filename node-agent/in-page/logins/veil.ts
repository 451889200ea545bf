/**
 * Hides values on the screen for as long as this document lives: fields that have one show dots, and text
 * that repeats one is blacked out. So every picture lacks them: screenshots, live views,
 * the desktop. Nothing of the document changes but the style of its fields; a page that wants to show
 * what it was given can still do so, for instance letter by letter or on a canvas.
 */
import type { AnyElement } from '../any-element.ts'
import { nodeTypeOf, nodesIn, shadowRootOf } from '../dom.ts'
import { allMatches } from '../targeting/matching.ts'

const highlightName = 'troupe-veil'
const dots = '-webkit-text-security'

let patterns: readonly RegExp[] = []
let observer: MutationObserver | undefined
const ranges = new Map<Node, readonly Range[]>()
const watched = new WeakSet<Node>()
/** How often each field was veiled: a page that takes the veil off each time must not be kept busy. */
const veiled = new WeakMap<Node, number>()
const veilingsMax = 100
const rangesKept = 500

/** `wholeWords`: short values are found as words only, since they occur everywhere by chance. */
export interface VeiledValue {
  readonly value: string
  readonly wholeWords: boolean
}

export function veilValues(values: readonly VeiledValue[]): void {
  const known = new Set(patterns.map(({ source }) => source))
  const added = values.map(patternOf).filter(({ source }) => !known.has(source))
  patterns = [...patterns, ...added]
  observer ??= new MutationObserver(onMutations)
  watch(document)
  veilIn(document)
}

/** Shows dots for all that the field has. */
export function veilField(this: AnyElement): void {
  const times = veiled.get(this) ?? 0
  if (times >= veilingsMax) return
  veiled.set(this, times + 1)
  this.style.setProperty(dots, 'disc', 'important')
}

/** True if the document shows a value as text. */
export const showsVeiled = (): boolean => {
  if (patterns.length === 0) return false
  veilIn(document)
  return [...ranges.keys()].some((node) => node.isConnected)
}

function patternOf({ value, wholeWords }: VeiledValue): RegExp {
  const escaped = value.trim().replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
  const spaced = escaped.replace(/\s+/g, '\\s+')
  const text = wholeWords ? `(?<![\\p{L}\\p{N}])${spaced}(?![\\p{L}\\p{N}])` : spaced
  return new RegExp(text, wholeWords ? 'gu' : 'giu')
}

/** Observers and style sheets end at shadow roots, so each root has its own. */
function watch(root: Document | ShadowRoot): void {
  if (watched.has(root)) return
  watched.add(root)
  const sheet = new CSSStyleSheet()
  sheet.replaceSync(`::highlight(${highlightName}) { color: transparent; background-color: black }`)
  root.adoptedStyleSheets = [...root.adoptedStyleSheets, sheet]
  const kinds = { childList: true, characterData: true, attributes: true, subtree: true }
  observer!.observe(root, { ...kinds, attributeFilter: ['value', 'type', 'style'] })
  for (const event of ['input', 'change', 'focusin']) {
    root.addEventListener(event, (change) => veilIn(change.composedPath()[0] as Node), true)
    root.addEventListener(event, veilFieldsInTime, true)
  }
}

let isPending = false

/** A script that assigns a value changes nothing that could be observed, so all fields are looked at before the next frame. */
function veilFieldsInTime(): void {
  if (isPending) return
  isPending = true
  requestAnimationFrame(() => {
    isPending = false
    for (const field of allMatches('input, textarea')) veilElement(field as AnyElement)
  })
}

function onMutations(records: readonly MutationRecord[]): void {
  veilFieldsInTime()
  for (const { target, addedNodes } of records) {
    if (addedNodes.length === 0) veilIn(target, false)
    for (const node of addedNodes) veilIn(node)
  }
}

function veilIn(node: Node, isDeep = true): void {
  const type = nodeTypeOf(node)
  if (type === Node.TEXT_NODE) return veilText(node as Text)
  if (type === Node.ELEMENT_NODE) veilElement(node as AnyElement)
  if (!isDeep) return
  for (const child of nodesIn(node)) veilIn(child)
}

function veilElement(element: AnyElement): void {
  const shadow = shadowRootOf(element)
  if (shadow) {
    watch(shadow)
    veilIn(shadow)
  }
  if (element.localName !== 'input' && element.localName !== 'textarea') return
  const { value = '' } = element
  // A style that is set again would be a mutation again.
  if (isShown(value) && element.style.getPropertyValue(dots) !== 'disc') veilField.call(element)
}

const isShown = (text: string) =>
  text !== '' && patterns.some((pattern) => ((pattern.lastIndex = 0), pattern.test(text)))

function veilText(node: Text): void {
  const found = patterns.flatMap((pattern) => [...node.data.matchAll(pattern)])
  const before = ranges.get(node)
  if (found.length === 0 && !before) return
  const highlight = CSS.highlights.get(highlightName) ?? new Highlight()
  for (const range of before ?? []) highlight.delete(range)
  const now = found.map(({ 0: text, index }) => {
    const range = new Range()
    range.setStart(node, index)
    range.setEnd(node, index + text.length)
    return range
  })
  for (const range of now) highlight.add(range)
  if (now.length > 0) ranges.set(node, now)
  else ranges.delete(node)
  if (ranges.size > rangesKept) forgetRemoved(highlight)
  CSS.highlights.set(highlightName, highlight)
}

function forgetRemoved(highlight: Highlight): void {
  for (const [node, old] of ranges) {
    if (node.isConnected) continue
    for (const range of old) highlight.delete(range)
    ranges.delete(node)
  }
}
