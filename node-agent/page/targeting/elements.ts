/** Elements by CSS selector: their positions, and setting files on file inputs. */
import { setTimeout as pause } from 'node:timers/promises'
import { ServiceError } from '../../../proto/errors.ts'
import { limits } from '../../../proto/limits.ts'
import { pageFunctions } from '../../../runtime/browser-host/page-functions.ts'
import * as queryCode from '../../in-page/targeting/query.ts'
import type { Point } from '../../input/input-device.ts'
import type { Tab } from '../tabs/tab.ts'

export interface ElementQuery {
  readonly selector: string
  /** The index among the matches, from 0. */
  readonly index: number
  readonly timeoutMs: number
}

const { lookAtFileInput, lookAtMatch, matchAt } = pageFunctions(queryCode)

/**
 * The centre of the element in CSS pixels of the page; waits until it is visible and does not move.
 * An element that keeps moving is taken where it was last.
 */
export async function locateElement(tab: Tab, wanted: ElementQuery): Promise<Point> {
  const { selector, index } = wanted
  const look = await lookUntil(
    wanted.timeoutMs,
    () => tab.evaluate(lookAtMatch, selector, index, limits.selectorPollMs),
    (seen) => seen.found === 'invalid' || (seen.found === 'here' && seen.steady),
  )
  switch (look.found) {
    case 'here':
      return { x: look.x, y: look.y }
    case 'invalid':
      throw invalidError(selector)
    case 'few':
      throw tooFewError(wanted, look.matches)
    case 'unseen': {
      const message = `${describeQuery(wanted)} is there, but nothing of it is to be seen: it is hidden.`
      throw new ServiceError('element_not_found', message, { matches: look.matches })
    }
  }
}

/** Sets files of this host on a file input, visible or not, as if they had been chosen. */
export async function setFiles(
  tab: Tab,
  wanted: ElementQuery,
  paths: readonly string[],
): Promise<void> {
  const { selector, index } = wanted
  const look = await lookUntil(
    wanted.timeoutMs,
    () => tab.evaluate(lookAtFileInput, selector, index),
    ({ found }) => found !== 'few',
  )
  if (look.found === 'invalid') throw invalidError(selector)
  if (look.found === 'few') throw tooFewError(wanted, look.matches)
  if (look.found === 'other')
    throw badSelectorError(`${describeQuery(wanted)} is not a file input.`)
  if (paths.length > 1 && !look.multiple)
    throw badSelectorError(`${describeQuery(wanted)} takes one file only.`)
  const objectId = await tab.handle(matchAt, selector, index)
  if (objectId === undefined) throw tooFewError(wanted, 0)
  try {
    await tab.send('DOM.setFileInputFiles', { files: [...paths], objectId })
  } finally {
    await tab.send('Runtime.releaseObject', { objectId })
  }
}

async function lookUntil<T>(
  timeoutMs: number,
  look: () => Promise<T>,
  enough: (seen: T) => boolean,
): Promise<T> {
  const giveUpAtMs = performance.now() + timeoutMs
  for (;;) {
    const seen = await look()
    if (enough(seen) || performance.now() >= giveUpAtMs) return seen
    await pause(limits.selectorPollMs)
  }
}

function describeQuery({ selector, index }: ElementQuery): string {
  return index === 0 ? selector : `Match ${index} of ${selector}`
}

function badSelectorError(message: string): ServiceError {
  return new ServiceError('bad_request', message, { field: 'selector' })
}

function invalidError(selector: string): ServiceError {
  return badSelectorError(`selector is no valid CSS: ${JSON.stringify(selector)}.`)
}

function tooFewError({ selector, index, timeoutMs }: ElementQuery, matches: number): ServiceError {
  const message =
    `${selector} matched ${matches} elements within ${timeoutMs} ms, ` +
    `and ${index + 1} were needed.`
  return new ServiceError('element_not_found', message, { matches })
}
