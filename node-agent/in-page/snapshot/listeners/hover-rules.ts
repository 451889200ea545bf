/** Menus that appear by style alone: what is shown while the pointer is on another element. */
import { matches, rectOf, styleOf } from '../../dom.ts'
import { hoverElements } from './known-listeners.ts'

/** While an element that matches `from` has the pointer, one that matches `shown` is shown. */
export interface HoverRule {
  readonly from: string
  readonly shown: string
}

/** The rules of each style sheet, and how many of its rules have been read. */
const knownRules = new WeakMap<CSSStyleSheet, { read: number; found: HoverRule[] }>()

const hoverRulesMax = 200
const hoverTargetsMax = 300

/** Marks the elements that show what is hidden now. */
export function findHoverMenus(root: Document): void {
  const rules = [...root.styleSheets, ...root.adoptedStyleSheets].flatMap(hoverRulesIn)
  let targetsLeft = hoverTargetsMax
  for (const { from, shown } of rules.slice(0, hoverRulesMax)) {
    try {
      for (const target of root.querySelectorAll(shown)) {
        if (targetsLeft-- <= 0) return
        const over = isSeenNow(target) ? null : elementOver(target, from)
        if (over) hoverElements.add(over)
      }
    } catch {
      // What is left of a selector without its `:hover` need not be one.
    }
  }
}

/** Only rules that were added since are read: reading all at each walk would take too long. */
function hoverRulesIn(sheet: CSSStyleSheet): readonly HoverRule[] {
  try {
    const rules = sheet.cssRules
    const known = knownRules.get(sheet)
    const isLonger = known !== undefined && rules.length >= known.read
    const now = isLonger ? known : { read: 0, found: [] }
    for (; now.read < rules.length; now.read++) hoverRulesOf(rules[now.read]!, now.found)
    knownRules.set(sheet, now)
    return now.found
  } catch {
    // Style sheets of other origins cannot be read.
    return []
  }
}

function hoverRulesOf(rule: CSSRule, found: HoverRule[]): void {
  if ('selectorText' in rule) {
    const { selectorText, style } = rule as CSSStyleRule
    if (selectorText.includes(':hover') && reveals(style)) {
      for (const selector of selectorText.split(/,(?![^(]*\))/)) {
        const parts = partsOfHover(selector.trim())
        if (parts) found.push(parts)
      }
    }
  } else if ('cssRules' in rule) {
    for (const inner of (rule as CSSGroupingRule).cssRules) hoverRulesOf(inner, found)
  }
}

const reveals = (style: CSSStyleDeclaration) =>
  (style.display !== '' && style.display !== 'none') ||
  style.visibility === 'visible' ||
  Number(style.opacity) > 0 ||
  /[1-9]/.test(style.maxHeight + style.height + style.clipPath) ||
  /scale/.test(style.transform)

/** Undefined for rules that change only the element with the pointer. */
function partsOfHover(selector: string): HoverRule | undefined {
  const at = selector.indexOf(':hover')
  const [before, after] = [selector.slice(0, at), selector.slice(at + ':hover'.length)]
  const end = after.search(/[\s>+~]/)
  if (at <= 0 || end === -1 || selector.includes('::') || /\([^)]*$/.test(before)) return undefined
  const from = before + after.slice(0, end)
  return { from, shown: (before + after).replaceAll(':hover', '') }
}

function isSeenNow(element: Element): boolean {
  const { display, visibility, opacity } = styleOf(element)
  const isHidden = display === 'none' || visibility !== 'visible' || Number(opacity) < 0.05
  return !isHidden && rectOf(element).height > 0
}

/** The element whose hovering shows another: around it, or before it. */
function elementOver(target: Element, from: string): Element | null {
  const around = target.parentElement?.closest(from)
  if (around) return around
  let before = target.previousElementSibling
  while (before && !matches(before, from)) before = before.previousElementSibling
  return before
}

/** True for an element that has been found to show others. */
export const isHoverMenu = (element: Element) => hoverElements.has(element)
