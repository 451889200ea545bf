import type { BrowserPermission } from '../../../proto/session/setup/browser-setup.ts'
import type { CdpParams } from '../../cdp/protocol.ts'

/** Parameters of the call that sets a permission, for one origin or for all. */
export function permissionCall({
  name,
  origin,
  setting,
}: BrowserPermission): CdpParams<'Browser.setPermission'> {
  const isSysex = name === 'midi-sysex'
  const permission = isSysex ? { name: 'midi', sysex: true } : { name }
  return { permission, setting, ...(origin !== undefined && { origin }) }
}
