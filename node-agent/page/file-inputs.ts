/** Sets files of this host on file inputs, visible or not, as if they had been chosen. */
import { inPage } from './tabs/in-page.ts'
import type { FramedTab } from './targeting/matching.ts'
import {
  awaitQueried,
  describeQuery,
  selectorError,
  type ElementQuery,
} from './targeting/selected.ts'

const { fileInputOf, takesMany } = inPage

export async function setFiles(
  place: FramedTab,
  wanted: ElementQuery,
  paths: readonly string[],
): Promise<void> {
  const element = await awaitQueried(place, wanted)
  const input = await element.other(fileInputOf)
  element.release()
  if (!input) throw selectorError(`${describeQuery(wanted)} is not a file input.`)
  try {
    if (paths.length > 1 && !(await input.call(takesMany))) {
      throw selectorError(`${describeQuery(wanted)} accepts only one file.`)
    }
    await input.send('DOM.setFileInputFiles', { files: [...paths] })
  } finally {
    input.release()
  }
}
