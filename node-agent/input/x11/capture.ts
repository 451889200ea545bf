/** A picture of the whole desktop: dialogs, pop-ups and what Chromium draws around its page. */
import { ServiceError } from '../../../proto/errors.ts'
import type { PositionedImage } from '../input-device.ts'
import { encodePng } from '../../png/encode.ts'
import { nodeAgentLimits } from '../../limits.ts'

/** Who can read a screen: a connection to its display. */
export interface ScreenReader {
  readonly screen: { readonly width: number; readonly height: number }
  /** Four bytes a pixel: blue, green, red and one to spare. */
  image(): Promise<Uint8Array>
}

export async function captureScreen(reader: ScreenReader): Promise<PositionedImage> {
  const png = await encodePng(await reader.image(), reader.screen)
  if (png.length > nodeAgentLimits.screenshotBytes) {
    const message =
      `The picture has ${png.length} bytes; at most ${nodeAgentLimits.screenshotBytes} can be ` +
      'sent.'
    throw new ServiceError('too_large', message, { limit: nodeAgentLimits.screenshotBytes })
  }
  return { png, left: 0, top: 0 }
}
