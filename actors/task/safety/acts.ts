/**
 * The checks of an act before it runs. `checkAct` is for the machine, when the act is decided;
 * `commandCallOf` is for the effect, right before the command is sent: secrets get their values only
 * there.
 */
import { commandCatalogue, type CommandCall } from '../../../proto/commands/catalogue.ts'
import { commandLimits } from '../../../proto/commands/limits.ts'
import { parseTarget } from '../../../proto/commands/target.ts'
import { ServiceError } from '../../../proto/errors.ts'
import type { GatedAction, TaskOrder } from '../../../proto/task/task.ts'
import { domainOfUrl } from '../../../runtime/lib/network/domains.ts'
import type { Act } from '../prompting/decision.ts'
import { checkedAddress, type AddressRules } from './addresses.ts'
import { showsField } from './fields.ts'
import { mentionsSecret, type SecretMasks } from '../../../runtime/lib/secrets/secret-masks.ts'

export interface ActLimits extends AddressRules {
  /** Classes of actions that wait for a person; empty if no person can be asked. */
  readonly gates: readonly GatedAction[]
  /** A secret was typed in this task. */
  readonly usedSecret: boolean
  /** The page has text fields, as far as the model has seen it. */
  readonly hasFields: boolean
  readonly showsSecret: boolean
  /** The order lets the model run scripts. */
  readonly mayScript?: boolean
}

/** Refusals are written for the model: what is wrong, and what to do instead. */
export type CheckedAct =
  { readonly ok: true; readonly act: Act } | { readonly ok: false; readonly why: string }

export function checkAct(act: Act, limits: ActLimits): CheckedAct {
  try {
    refuseCommand(act)
    refuseScript(act, limits)
    refuseStraySecrets(act)
    if (limits.usedSecret) {
      refuseClipboard(act, limits)
      refuseEditing(act, limits)
      refuseGuessing(act, limits)
    }
    if (limits.gates.length > 0) refuseUnnamed(act)
    return { ok: true, act: withCheckedAddress(act, limits) }
  } catch (error) {
    if (error instanceof ServiceError) return { ok: false, why: error.message }
    throw error
  }
}

export const typesSecret = ({ command, input }: Act): boolean =>
  command === 'type' && mentionsSecret(String(input['text'] ?? ''))

/** The domains where the values may be typed, in the syntax of `allowed_domains`. */
export function secretHosts(
  { allowedDomains, url }: Pick<TaskOrder, 'allowedDomains' | 'url'>,
  firstUrl: string | undefined,
): readonly string[] {
  if (allowedDomains) return allowedDomains
  const host = [url, firstUrl].map((one) => one && domainOfUrl(one)).find(Boolean)
  return host ? [host] : []
}

/** The command for the node agent. Throws a refusal. */
export function commandCallOf(
  act: Act,
  secrets: SecretMasks,
  hosts: readonly string[],
): CommandCall {
  const { command } = act
  // The model must not choose the origins in which a secret may be typed.
  const { origins: _, ...input } = act.input
  if (!typesSecret(act)) return { command, input } as CommandCall
  if (hosts.length === 0) {
    throw refusedError('No page is known that the secrets belong to: the task names no address.')
  }
  const text = secrets.substitute(String(input['text']), commandLimits.typedChars)
  return { command, input: { ...input, text, origins: hosts } } as CommandCall
}

/** A script acts without asking, and could carry a secret away unseen. */
function refuseScript({ command }: Act, { mayScript, gates, usedSecret }: ActLimits): void {
  if (command !== 'run_script' || (mayScript && gates.length === 0 && !usedSecret)) return
  throw refusedError('Scripts are not run in this task; use click, type and press_key on the page.')
}

/** `evaluate` is never run for a model, and desktop keys affect more than the page. */
function refuseCommand({ command }: Act): void {
  const offered = commandCatalogue.some((one) => one.name === command && (one.task ?? one.tool))
  if (!offered || command === 'keyboard_type' || command === 'keyboard_shortcut') {
    throw refusedError('This is not done for a task; use click, type and press_key on the page.')
  }
}

function refuseStraySecrets({ command, input }: Act): void {
  const stray = Object.entries(input).find(
    ([field, value]) => !(command === 'type' && field === 'text') && mentionsDeep(value),
  )
  if (!stray) return
  const why = stray[0] === 'url' ? 'Secrets never go into an address' : 'A secret is no use here'
  throw refusedError(`${why}: <secret>name</secret> stands in the text of type, and nowhere else.`)
}

function mentionsDeep(value: unknown): boolean {
  if (typeof value === 'string') return mentionsSecret(value) || mentionsSecret(decodeUrl(value))
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(value).some(([key, one]) => mentionsSecret(key) || mentionsDeep(one))
}

/**
 * Refuses the clipboard and drags after a secret was typed, because they could carry it to another
 * site. The middle button and the context menu reach the clipboard too.
 */
function refuseClipboard({ command, input, element }: Act, { hasFields }: ActLimits): void {
  const keys = command === 'press' ? String(input['key']) : ''
  const carries =
    /(control|ctrl|meta|cmd|command|shift)\s*\+\s*(.*\+\s*)?(c|x|v|insert|ins|delete|del)$/i
  if (carries.test(keys) || /^(copy|cut|paste)$/i.test(keys)) {
    throw refusedError(
      'The clipboard is closed in this task, for a secret has been typed; use type.',
    )
  }
  if (['middle', 'right'].includes(String(input['button']))) {
    throw refusedError(
      'A secret has been typed in this task: only the left button may be used now.',
    )
  }
  const draggedText =
    (command === 'drag' && showsField(element ?? '')) || (command === 'drag_and_drop' && hasFields)
  if (draggedText) {
    throw refusedError('Texts are not dragged in this task, for a secret has been typed; use type.')
  }
}

/**
 * Refuses edits within a typed value: with a character removed or inserted, the mask would not
 * recognise it. Visible text does not show where the value is, because a hidden one can be shown
 * later.
 */
function refuseEditing({ command, input, element }: Act, { hasFields }: ActLimits): void {
  const why = 'A secret has been typed in this task: fields are only filled in whole, with type'
  if (command === 'type' && input['append'] === true && mentionsSecret(element ?? '')) {
    throw refusedError(`${why}, and nothing is appended to it.`)
  }
  if (command !== 'press') return
  const names = String(input['key']).split('+')
  const last = names.at(-1)!.trim().toLowerCase()
  const isCommand = names.some((name) => /^(control|ctrl|controlormeta|meta|alt|cmd)/i.test(name))
  const undoes = isCommand && /^[zyhdkuw]$/.test(last)
  const writes = !isCommand && hasFields && [...last].length <= 1 && last !== ''
  if (undoes || writes || /^(backspace|delete|del)$/.test(last)) throw refusedError(`${why}.`)
}

/** Refuses searches that would reveal a value one character after another. */
function refuseGuessing({ command, input }: Act, { showsSecret }: ActLimits): void {
  const searches = [input['text'], input['text_gone']].some((text) => text !== undefined)
  const selects = command === 'select_text'
  const { text, from, to, ...others } = input
  const aims = targetsOf(selects ? others : input).map(parseTarget)
  const finds =
    (['find', 'wait_for'].includes(command) && searches) ||
    (selects && [text, from, to].some((place) => typeof place === 'string')) ||
    aims.some(({ kind }) => kind === 'words')
  if (finds && showsSecret) {
    throw refusedError('The page shows a secret, so it is not searched; use read_text, or scroll.')
  }
  if (aims.some((aim) => aim.kind === 'css' && aim.selector.includes('['))) {
    throw refusedError(
      'A secret has been typed in this task: aim at a ref (e12), not at attributes.',
    )
  }
}

const targetsOf = (input: Act['input']): readonly string[] =>
  ['target', 'selector', 'from', 'to']
    .map((field) => input[field])
    .filter((one) => typeof one === 'string')

/**
 * A person has to be asked about a named element, so its line must be one that the model has seen.
 */
function refuseUnnamed({ command, input, element }: Act): void {
  if (!['click', 'drag', 'press', 'type', 'upload'].includes(command)) return
  const unnamed = targetsOf(input)
    .map(parseTarget)
    .some((aim) => {
      if (aim.kind === 'css' || aim.kind === 'words') return true
      return aim.kind === 'ref' && element === undefined
    })
  if (unnamed) {
    throw refusedError(
      'Aim at a ref of the page as it was last shown (e12): a person may be asked.',
    )
  }
}

function withCheckedAddress(act: Act, reach: AddressRules): Act {
  const url = act.input['url']
  const opens = ['navigate', 'goto', 'tab_new'].includes(act.command)
  if (!opens || typeof url !== 'string') return act
  return { ...act, input: { ...act.input, url: checkedAddress(url, reach) } }
}

function decodeUrl(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    // The text has a percent sign but is not percent-encoded, so it stays as it is.
    return text
  }
}

const refusedError = (message: string) => new ServiceError('forbidden', message)
