/** Selects options of a `select`, with the events that a user's choice causes. */
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import type { PreparedAction, ActionContext } from './acting.ts'
import { awaitActionable, forChoice, type ActionTarget } from '../targeting/actionable.ts'

type Chosen =
  | { readonly is: 'done' }
  | { readonly is: 'other'; readonly what: string }
  | { readonly is: 'single' }
  | { readonly is: 'disabled'; readonly value: string }
  | { readonly is: 'missing'; readonly value: string; readonly options: readonly string[] }

/** A label or an option stands for its select. Values take precedence over labels. */
const choose = `function (values) {
  const select = this.localName === 'label' ? this.control : this.closest('select')
  if (select?.localName !== 'select') return { is: 'other', what: this.localName }
  if (values.length > 1 && !select.multiple) return { is: 'single' }
  const options = [...select.options]
  const plain = (text) => text.trim().replace(/\\s+/g, ' ')
  const chosen = []
  for (const value of values) {
    const option = options.find((option) => option.value === value)
      ?? options.find((option) => plain(option.label) === plain(value))
    if (!option) {
      return { is: 'missing', value, options: options.slice(0, ${limits.optionsTold}).map(({ label }) => plain(label)) }
    }
    if (option.matches(':disabled')) return { is: 'disabled', value }
    chosen.push(option)
  }
  select.focus()
  for (const option of options) option.selected = chosen.includes(option)
  select.dispatchEvent(new Event('input', { bubbles: true, composed: true }))
  select.dispatchEvent(new Event('change', { bubbles: true }))
  return { is: 'done' }
}`

export async function chooseOption(
  context: ActionContext,
  wanted: ActionTarget,
  values: readonly string[],
): Promise<PreparedAction> {
  const { element, matches } = await awaitActionable(context, wanted, forChoice)
  return {
    matches,
    effect: 'told',
    async run() {
      const chosen = await element.call<Chosen>(choose, values)
      element.release()
      if (chosen.is !== 'done') throw refusalError(wanted.target, chosen)
    },
  }
}

function refusalError(target: string, chosen: Exclude<Chosen, { is: 'done' }>): ServiceError {
  const bad = (field: string, message: string, details = {}) =>
    new ServiceError('bad_request', message, { field, ...details })
  switch (chosen.is) {
    case 'other':
      return bad('target', `${target} is no select but ${chosen.what}: click it, then its option.`)
    case 'single':
      return bad('values', `${target} takes one option only.`)
    case 'disabled':
      return bad('values', `The option ${JSON.stringify(chosen.value)} is disabled.`)
    case 'missing': {
      const { value, options } = chosen
      const there = options.map((label) => JSON.stringify(label)).join(', ')
      const message = `${target} has no option ${JSON.stringify(value)}. There are: ${there}.`
      return bad('values', message, { options })
    }
  }
}
