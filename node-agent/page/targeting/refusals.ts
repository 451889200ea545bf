/** The errors of actions on an element that could not be acted on. */
import { ServiceError } from '../../../proto/errors.ts'
import type { ElementLook, FrameLook } from '../../in-page/targeting/look.ts'

interface Refused {
  readonly target: string
  /** How long the action waited for the element. */
  readonly timeoutMs: number
}

export type UnreadyLook =
  Exclude<ElementLook, { is: 'ready' | 'moving' }> | Exclude<FrameLook, { is: 'ready' }>

const reasons: Readonly<Record<UnreadyLook['is'], string>> = {
  option: 'is an option of a closed select: use select_option on the select',
  gone: 'disappeared while waiting for it: take a new snapshot',
  hidden: 'exists but is not visible',
  disabled: 'is disabled',
  readonly: 'is read-only',
  outside: 'cannot be scrolled into view',
  moved: 'does not stop moving',
  covered: 'is covered',
}

export function refusalError({ target, timeoutMs }: Refused, seen: UnreadyLook): ServiceError {
  const why = seen.is === 'moved' ? 'moving' : seen.is
  const by = seen.is === 'covered' ? ` by ${seen.by}: act on that first, or close it` : ''
  const message = `${target} ${reasons[seen.is]}${by} (waited ${timeoutMs} ms).`
  return new ServiceError('not_actionable', message, {
    why,
    ...(seen.is === 'covered' && { covered_by: seen.by }),
  })
}

/** The page did not even answer. */
export function busyError({ target, timeoutMs }: Refused): ServiceError {
  const message = `The page was too busy to look for ${target} within ${timeoutMs} ms.`
  return new ServiceError('timeout', message)
}

/** The element disappeared, or was replaced, when the pointer reached it. */
export function swappedError({ target }: Refused, now: string | undefined): ServiceError {
  const there = now === undefined ? 'nothing is there now' : `${now} is there now: use that`
  const message = `${target} disappeared under the pointer; ${there}, after a new snapshot.`
  return new ServiceError('not_actionable', message, { why: 'gone' })
}
