/** Input and screenshots of one display, over a connection that is opened at its first use. */
import type { Clock } from '../../runtime/lib/clock.ts'
import type { XAddress } from '../input/x11/display-connection.ts'
import { OsInput } from '../input/x11/os-input.ts'
import type { PageHandles } from '../input/x11/keyboard.ts'
import type { DesktopTools } from './command-context.ts'

/** If opening the connection fails, or the connection ends, the next command opens another one. */
export function desktopToolsOf(
  address: XAddress,
  clock: Clock,
  pageHandles?: PageHandles,
): DesktopTools {
  let opened: Promise<OsInput> | undefined
  const open = () => {
    const opening = OsInput.open(address, clock, pageHandles).catch((error: unknown) => {
      opened = undefined
      throw error
    })
    return (opened = opening)
  }
  const device = async () => {
    const before = opened
    const known = await before
    if (known && !known.closed) return known
    // Another command may have reopened the connection meanwhile.
    return opened === before ? open() : (opened ?? open())
  }
  return {
    inputDevice: device,
    screenshot: async () => (await device()).screenshot(),
    closeFileChoosers: async () => (await device()).closeFileChoosers(),
  }
}
