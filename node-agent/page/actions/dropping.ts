/** Drops files onto an element, as if a person dragged them there out of a folder. */
import { sleep } from '../../../runtime/lib/clock.ts'
import { sentFunctions } from '../../../runtime/browser-host/page-functions.ts'
import type * as droppingCode from '../../in-page/dropping.ts'
import type { Point } from '../../input/input-device.ts'
import { pageLimits } from '../limits.ts'
import type { Tab } from '../tabs/tab.ts'
import type { ElementHandle } from '../targeting/element.ts'

const { takesDraggedFiles } = sentFunctions<typeof droppingCode>('dropping')

const copy = 1

/**
 * Returns false, and drops nothing, if the page does not take files there: Chromium would open them
 * in place of the page.
 *
 * @param at Of the element, in the tab.
 * @param paths On this host.
 */
export async function dropFiles(
  tab: Tab,
  element: ElementHandle,
  at: Point,
  paths: readonly string[],
): Promise<boolean> {
  const data = { items: [], files: [...paths], dragOperationsMask: copy }
  const drag = (type: 'dragEnter' | 'dragOver' | 'drop' | 'dragCancel') =>
    tab.call('Input.dispatchDragEvent', { type, ...at, data })
  let taken: boolean | undefined
  const telling = element
    .call(takesDraggedFiles, pageLimits.dropTakenMs)
    .then((takes) => (taken = takes))
  // If the page leaves meanwhile, the dragging fails too.
  telling.catch(() => undefined)
  await drag('dragEnter')
  // Repeated as the browser does: the first may come before the page listens for it.
  while (taken === undefined) {
    await drag('dragOver')
    await Promise.race([telling, sleep(tab.clock, pageLimits.dragOverMs)])
  }
  await drag(taken ? 'drop' : 'dragCancel')
  return taken
}
