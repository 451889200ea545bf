/** Selects text of a field, an editor or the page, as with the mouse. */
import { parseTarget } from '../../../proto/commands/target.ts'
import { ServiceError } from '../../../proto/errors.ts'
import { installedFunctions } from '../../../runtime/browser-host/page-functions.ts'
import type * as selecting from '../../in-page/actions/selecting.ts'
import type { Selected, TextSpan } from '../../in-page/actions/selecting.ts'
import type { ActionContext, PreparedAction } from './acting.ts'
import { awaitActionable, forChoice, type ActionTarget } from '../targeting/actionable.ts'
import { elementIn, type ElementHandle } from '../targeting/element.ts'

const { selectableElement, selectIn, wholePage } = installedFunctions<typeof selecting>('selecting')

/** Without a target the field with the keyboard is meant, or else the first frame with the text. */
export async function selectText(
  context: ActionContext,
  wanted: ActionTarget | undefined,
  span: TextSpan,
): Promise<PreparedAction> {
  if (!wanted) {
    return {
      effect: 'told',
      async run() {
        const selected = await selectAnywhere(context, span)
        if (selected.is !== 'done') throw selectionError('The page', selected)
        return undefined
      },
    }
  }
  const { element, matches } = await awaitActionable(context, wanted, forChoice)
  const aim = parseTarget(wanted.target)
  const isAll = Object.values(span).every((one) => one === undefined)
  return {
    matches,
    effect: 'told',
    async run() {
      const words = isAll && aim.kind === 'words' ? { text: aim.words } : span
      const selected = await element.call(selectIn, words)
      element.release()
      if (selected.is !== 'done') throw selectionError(wanted.target, selected)
      return undefined
    },
  }
}

async function selectAnywhere({ tab, frames }: ActionContext, span: TextSpan): Promise<Selected> {
  let selected: Selected | undefined
  for (const frame of await frames.all()) {
    const world = await frames.worldOf(frame)
    for (const find of [selectableElement, wholePage]) {
      const element = await elementIn({ tab, frame, world }, find)
      const now = element && (await selectOnce(element, span))
      if (now?.is === 'done') return now
      selected ??= now
    }
  }
  return selected ?? { is: 'missing', words: String(span.text ?? span.from ?? span.to) }
}

async function selectOnce(element: ElementHandle, span: TextSpan): Promise<Selected> {
  try {
    return await element.call(selectIn, span)
  } finally {
    element.release()
  }
}

function selectionError(target: string, selected: Exclude<Selected, { is: 'done' }>): ServiceError {
  if (selected.is === 'missing') {
    const message = `${target} has no text ${JSON.stringify(selected.words)}.`
    return new ServiceError('bad_request', message, { field: 'text' })
  }
  const message = `${target} is a field whose text can be selected only as a whole.`
  return new ServiceError('bad_request', message, { field: 'text' })
}
