/**
 * Which acts wait for a person: those of the chosen classes, recognised by what the model has seen
 * of the element, or by the whole page if the act names none. In doubt, a person is asked.
 */
import { parseTarget } from '../../../proto/commands/target.ts'
import type { GatedAction } from '../../../proto/task/task.ts'
import { canonicalHost } from '../../../runtime/lib/network/hosts.ts'
import type { Act, Observation } from '../prompting/decision.ts'
import { isInField } from './fields.ts'
import { hasMeaning, namesFile } from './gate-words.ts'

/** Input of the task so far that could be sent to another site. */
export interface PriorInput {
  readonly typed: boolean
  readonly usedSecret: boolean
}

const classes = ['payment', 'deletion', 'download'] as const

export function gateOf(act: Act, page: Observation, past: PriorInput): GatedAction | undefined {
  const { command, input } = act
  switch (command) {
    case 'upload':
    case 'attach_upload':
      return 'upload'
    case 'navigate':
    case 'goto':
    case 'tab_new':
      return ofNavigation(input['url'], page, past)
    case 'click':
      return gateOfLabel(elementLabel(act), page)
    case 'drag':
      return ofDrag(act.element ?? page.text, page)
    case 'handle_dialog':
      return input['accept'] === true ? ofText(page.text, classes) : undefined
    case 'type':
    case 'fill_login':
      return input['submit'] === true ? ofButtons(page) : undefined
    case 'press':
      return ofKey(String(input['key']), page)
    case 'mouse_click':
    case 'mouse_double_click':
    case 'mouse_down':
    case 'mouse_up':
    case 'drag_and_drop':
      return ofButtons(page) ?? (hasMeaning(page.text, 'download') ? 'download' : undefined)
    default:
      return undefined
  }
}

/** The element's name; its whole line if it has none. */
function elementLabel({ input, element = '' }: Act): string {
  const target = String(input['target'] ?? input['selector'] ?? '')
  const aim = parseTarget(target)
  if (aim.kind !== 'ref') return target
  const from = new RegExp(`(?:^|\\s)${aim.ref} [a-z]`).exec(element)
  if (!from) return element
  const rest = element.slice(from.index).trim()
  const thing = /^.*?(?=\s(?:\||e\d+ [a-z])|$)/s.exec(rest)?.[0] ?? rest
  return /"[^"]+"|\.[\w-]/.test(thing) ? thing : element
}

function gateOfLabel(thing: string, page: Observation): GatedAction | undefined {
  const said = ofText(thing, classes) ?? (namesFile(thing) ? 'download' : undefined)
  if (said) return said
  // A page with card fields whose button only says "Continue".
  return hasMeaning(thing, 'forward') && hasMeaning(page.text, 'card') ? 'payment' : undefined
}

const ofText = <G extends (typeof classes)[number]>(text: string, among: readonly G[]) =>
  among.find((one) => hasMeaning(text, one))

/** Enter or a position may hit any button of the page. */
function ofButtons({ text }: Observation): GatedAction | undefined {
  const buttons = text.match(/\be\d+ (?:button|clickable|menuitem)\b[^\n|]*/g) ?? []
  const said = ofText(buttons.join('\n'), ['payment', 'deletion'])
  return said ?? (hasMeaning(text, 'card') ? 'payment' : undefined)
}

/** "Slide to pay" is recognised by its own text; a bin only by the text of the page. */
function ofDrag(thing: string, page: Observation): GatedAction | undefined {
  const deletes = ofText(page.text, ['deletion']) && ofText(thing, ['deletion'])
  return ofText(thing, ['payment']) ?? deletes
}

function ofKey(key: string, page: Observation): GatedAction | undefined {
  const last = key.split('+').at(-1)!.trim()
  const presses = /^(enter|return|numpadenter|space|spacebar)$/i.test(last) || last === ''
  // A dialog hides the page, so only its text was read: these keys accept it.
  const hasRefs = /\be\d+ [a-z]/.test(page.text)
  if (presses) return hasRefs ? ofButtons(page) : ofText(page.text, classes)
  // Pages may assign Alt shortcuts to their buttons without showing them.
  if (/\balt\s*\+/i.test(key)) return ofButtons(page)
  const deletes = /^(delete|del|backspace)$/i.test(last) && !isInField(page.text)
  return deletes ? ofText(page.text, ['deletion']) : undefined
}

/** Detects navigation to another site with data of the previous site in the URL or in memory. */
function ofNavigation(
  given: unknown,
  page: Observation,
  past: PriorInput,
): GatedAction | undefined {
  if (typeof given !== 'string' || !URL.canParse(given)) return undefined
  const url = new URL(given)
  const here = URL.canParse(page.url) ? new URL(page.url).hostname : ''
  if (here !== '' && !isSameSite(canonicalHost(here), canonicalHost(url.hostname))) {
    const carries = url.search !== '' || url.hash !== ''
    if (past.usedSecret || (past.typed && carries)) return 'leaving_site'
  }
  return namesFile(url.pathname) ? 'download' : undefined
}

/** True if one host is below the other. Names alone do not show which domains belong together. */
const isSameSite = (a: string, b: string) => a === b || a.endsWith(`.${b}`) || b.endsWith(`.${a}`)
