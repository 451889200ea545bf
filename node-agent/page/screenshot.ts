/** A picture of what a tab shows, as it is, whether or not its window is in front. */
import { ServiceError } from '../../proto/errors.ts'
import { limits } from '../../proto/limits.ts'
import type { Tab } from './tab.ts'

export async function screenshotOf(tab: Tab): Promise<Uint8Array> {
  const { data } = await tab.send<{ data: string }>('Page.captureScreenshot', { format: 'png' })
  const png = Buffer.from(data, 'base64')
  if (png.length <= limits.screenshotBytes) return png
  const message = `The picture has ${png.length} bytes; ${limits.screenshotBytes} can be sent.`
  throw new ServiceError('too_large', message, { limit: limits.screenshotBytes })
}
