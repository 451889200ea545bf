/** How the page shows its text: what style sheets generate, white space, and tables. */
import type { AnyElement } from '../any-element.ts'
import { allIn, attributeOf, firstIn, styleOf } from '../dom.ts'
import { backdropOf, colourOf, isLike, isVeiled, transparent } from './visible.ts'

export interface KnownSheet {
  readonly rules: number
  readonly selectors: readonly string[]
}

/** The selectors of rules that may generate text; read again if the number of rules differs. */
const knownSheets = new WeakMap<CSSStyleSheet, KnownSheet>()
/** The elements they select, in one walk. */
let generating = new WeakSet<Element>()

export function forgetGenerated(): void {
  generating = new WeakSet()
}

/** Of what has been learned. */
export const mayGenerate = (element: Element): boolean => generating.has(element)

export type PseudoElement = '::before' | '::after'

const generatedRulesMax = 20_000
const generatedElementsMax = 5_000

/** Text with letters, digits, or a sign that means something beside a label or an amount. */
const saysSomething = /[\p{L}\p{N}\p{Sc}%*✓✔✗✘]/u
/** Their letters are drawn as pictures. */
const iconFont = /icon|awesome|glyph|symbol|dingbat/i
const maySay = /["'].*[\p{L}\p{N}\p{Sc}%*✓✔✗✘\\].*["']|attr\(|var\(/u

/**
 * Finds the elements of a document or shadow root that may have generated text. Asking for the
 * style of two pseudo-elements of every element would take longer than the rest of a walk.
 */
export function learnGenerated(root: Document | ShadowRoot): void {
  const sheets = [...(root.styleSheets ?? []), ...(root.adoptedStyleSheets ?? [])]
  const selectors = sheets.flatMap((sheet) => selectorsIn(sheet))
  if (selectors.length === 0) return
  let left = generatedElementsMax
  // In a list of `:is`, an unknown selector selects nothing; elsewhere it would throw.
  for (const element of root.querySelectorAll(`:is(${selectors.join(',')})`)) {
    if (left-- === 0) return
    generating.add(element)
  }
}

function selectorsIn(sheet: CSSStyleSheet): readonly string[] {
  const rules = rulesOf(sheet)
  const known = knownSheets.get(sheet)
  if (known && known.rules === rules.length) return known.selectors
  const selectors = new Set<string>()
  const left = { rules: generatedRulesMax }
  collectSelectors(rules, '', selectors, left)
  knownSheets.set(sheet, { rules: rules.length, selectors: [...selectors] })
  return [...selectors]
}

function rulesOf(sheet: CSSStyleSheet): CSSRuleList | readonly CSSRule[] {
  try {
    return sheet.cssRules
  } catch {
    // Of a sheet from another origin, nothing may be read.
    return []
  }
}

type AnyRule = Partial<CSSStyleRule> & Partial<Pick<CSSImportRule, 'styleSheet'>>

function collectSelectors(
  rules: Iterable<CSSRule> | ArrayLike<CSSRule>,
  outer: string,
  selectors: Set<string>,
  left: { rules: number },
): void {
  for (const rule of Array.from(rules) as readonly AnyRule[]) {
    if (left.rules-- <= 0) return
    const { selectorText = '', styleSheet, cssRules } = rule
    const own = outer && selectorText ? selectorText.replaceAll('&', `:is(${outer})`) : selectorText
    if (/:(before|after)/.test(own) && maySay.test(rule.style?.content ?? '')) {
      for (const selector of hostsOf(own)) selectors.add(selector)
    }
    if (styleSheet) collectSelectors(rulesOf(styleSheet), '', selectors, left)
    if (cssRules && cssRules.length > 0) collectSelectors(cssRules, own || outer, selectors, left)
  }
}

/** The selectors of the elements that have the pseudo-elements. */
const hostsOf = (selectorText: string) =>
  selectorText.split(/,(?![^()]*\))/).flatMap((selector) => {
    const [, host = ''] = /^(.*?)::?(?:before|after)$/.exec(selector.trim()) ?? []
    return /[^\s>+~*]$/.test(host) ? [host] : []
  })

/** The text shown before or after the content of an element; empty for icons. */
export function generatedText(element: Element, pseudo: PseudoElement): string {
  if (!mayGenerate(element)) return ''
  const style = styleOf(element, pseudo)
  const { content, display, visibility } = style
  if (content === 'none' || content === 'normal' || display === 'none') return ''
  if (visibility !== 'visible' || isVeiled(style, display)) return ''
  const text = textOfContent(content, element)
  if (!saysSomething.test(text) || iconFont.test(style.fontFamily)) return ''
  if (isUnreadableOn(element, style)) return ''
  return display === 'inline' ? text : ` ${text} `
}

/** As `isUnreadable`, for a pseudo-element. */
function isUnreadableOn(element: Element, style: CSSStyleDeclaration): boolean {
  const { backgroundColor, backgroundImage, webkitTextFillColor: ink } = style
  if (parseFloat(style.fontSize) < 2 || parseFloat(style.textIndent) < -500) return true
  const colour = colourOf(ink)
  if (colour.plain && colour.alpha < 0.05) return style.textShadow === 'none'
  if (backgroundImage !== 'none') return false
  const own = transparent.test(backgroundColor) ? undefined : backgroundColor
  const behind = style.position === 'static' ? backdropOf(element, styleOf(element)) : null
  const backdrop = own ?? behind
  return backdrop !== null && isLike(colourOf(backdrop), colour)
}

/** Strings and attributes; pictures, counters, and what is only for screen readers are left out. */
function textOfContent(content: string, element: Element): string {
  let text = ''
  const parts = content.matchAll(/"((?:[^"\\]|\\.)*)"|attr\(\s*([\w-]+)[^)]*\)|(\/)/gs)
  for (const [, string, attribute, slash] of parts) {
    if (slash) break
    text += attribute ? (attributeOf(element, attribute) ?? '') : unescaped(string ?? '')
  }
  return text
}

const unescaped = (string: string) =>
  string.replace(/\\([0-9a-f]{1,6}) ?|\\(.)/gis, (_, hex: string | undefined, other: string) =>
    hex ? String.fromCodePoint(parseInt(hex, 16)) : other,
  )

/** Which white space of the source is shown: `all` of it, only line `breaks`, or none. */
export type KeptWhiteSpace = 'all' | 'breaks' | ''

const keptWhiteSpaces: Readonly<Record<string, KeptWhiteSpace>> = {
  preserve: 'all',
  'break-spaces': 'all',
  'preserve-breaks': 'breaks',
}

/** By the longhand, which is read faster than `white-space`. */
export const keptWhiteSpace = (style: CSSStyleDeclaration): KeptWhiteSpace =>
  keptWhiteSpaces[style.getPropertyValue('white-space-collapse')] ?? ''

/** Text that would read the same with and without its white space kept has none of these. */
export const mayBeKept = /[\n\t]| {2}/

/** Spaces written for a tab, since tabs would be cleaned away. */
const tabSpaces = '    '
/** A longer indentation is cut. */
const indentMax = 40

/** The lines of a text as they are shown; the first one may continue a line. */
export const shownLines = (text: string, kept: KeptWhiteSpace): string[] =>
  text
    .split('\n')
    .map((line) =>
      kept === 'all' ? withSpaces(line) : line.replace(/[^\S\u00A0]+/g, ' ').replace(/^ | $/g, ''),
    )

const withSpaces = (line: string): string =>
  line
    .replaceAll('\t', tabSpaces)
    .replace(/^[ \u00A0]+/, (indent) => ' '.repeat(Math.min(indent.length, indentMax)))

/** True if a gap between two texts parts words: punctuation stays where it is. */
export const partsWords = (before: string, after: string) =>
  /[\p{L}\p{N}]$/u.test(before) && /^[\p{L}\p{N}]/u.test(after)

/** Up to this width, a gap between two inline boxes is not seen as a space. */
const unseenGapPx = 2

/** True if an inline box has an edge on that side that sets it apart from the text beside it. */
export function isSetApart(style: CSSStyleDeclaration, side: 'Left' | 'Right'): boolean {
  const widths = [style[`margin${side}`], style[`border${side}Width`], style[`padding${side}`]]
  return widths.reduce((sum, width) => sum + (parseFloat(width) || 0), 0) > unseenGapPx
}

/** Beyond this length of a cell on average, a table arranges a page. */
const cellCharsMax = 120

export const isDataTable = (table: AnyElement) =>
  (table.rows?.length ?? 0) >= 2 &&
  firstIn(table, 'table') === null &&
  (table.textContent ?? '').length <= cellCharsMax * allIn(table, 'td, th').length
