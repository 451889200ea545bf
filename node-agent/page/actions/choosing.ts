/** Selects options of a `select`, with the events that a user's choice causes. */
import { ServiceError } from '../../../proto/errors.ts'
import { inPage } from '../tabs/in-page.ts'
import type { Chosen } from '../../in-page/actions/choosing.ts'
import type { PreparedAction, ActionContext } from './acting.ts'
import { awaitActionable, forChoice, type ActionTarget } from '../targeting/actionable.ts'
import { pageLimits } from '../limits.ts'

const { chooseOptions } = inPage

export async function chooseOption(
  context: ActionContext,
  wanted: ActionTarget,
  values: readonly string[],
): Promise<PreparedAction> {
  const { element, matches } = await awaitActionable(context, wanted, forChoice)
  return {
    matches,
    effect: 'awaited',
    async run() {
      const chosen = await element.call(chooseOptions, values, pageLimits.optionsTold)
      element.release()
      if (chosen.is !== 'done') throw optionError(wanted.target, chosen)
      return undefined
    },
  }
}

function optionError(target: string, chosen: Exclude<Chosen, { is: 'done' }>): ServiceError {
  const bad = (field: string, message: string, details = {}) =>
    new ServiceError('bad_request', message, { field, ...details })
  switch (chosen.is) {
    case 'other':
      return bad(
        'target',
        `${target} is not a select but ${chosen.what}: click it, then its option.`,
      )
    case 'single':
      return bad('values', `${target} accepts only one option.`)
    case 'disabled':
      return bad('values', `The option ${JSON.stringify(chosen.value)} is disabled.`)
    case 'missing': {
      const { value, options } = chosen
      const there = options.map((label) => JSON.stringify(label)).join(', ')
      const message = `${target} has no option ${JSON.stringify(value)}. Its options: ${there}.`
      return bad('values', message, { options })
    }
  }
}
