/** Text that style sheets generate before and after elements. */
import { styleOf } from '../../measure.ts'
import { backdropOf, colourOf, isLike, isVeiled, transparent } from '../visible.ts'

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
  if (!generating.has(element)) return ''
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
    text += attribute ? (element.getAttribute(attribute) ?? '') : unescaped(string ?? '')
  }
  return text
}

const unescaped = (string: string) =>
  string.replace(/\\([0-9a-f]{1,6}) ?|\\(.)/gis, (_, hex: string | undefined, other: string) =>
    hex ? String.fromCodePoint(parseInt(hex, 16)) : other,
  )
