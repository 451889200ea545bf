/**
 * Permissions that are given while a session runs. Chromium drops them when the agent that set them
 * ends, so they are kept in the browser's record, and the next agent sets them again.
 */
import type { BrowserPermission } from '../../../proto/session/setup/browser-setup.ts'
import { sessionLimits } from '../../../proto/session/limits.ts'
import type { CdpPipe } from '../../cdp/cdp.ts'
import type { BrowserRecord } from '../../files/browser-record.ts'
import { permissionCall } from './permission-call.ts'

export class LivePermissions {
  readonly #cdp: Pick<CdpPipe, 'send'>
  readonly #record: Pick<BrowserRecord, 'content' | 'update'>

  constructor(cdp: Pick<CdpPipe, 'send'>, record: Pick<BrowserRecord, 'content' | 'update'>) {
    this.#cdp = cdp
    this.#record = record
  }

  /** Replaces what was set before for the same permission and origin. */
  async set(permission: BrowserPermission): Promise<void> {
    await this.#send(permission)
    const { name, origin } = permission
    const others = this.#given.filter((one) => one.name !== name || one.origin !== origin)
    const permissions = [...others, permission].slice(-sessionLimits.permissionsPerSession)
    await this.#record.update({ permissions })
  }

  /** After the permissions of the session's set-up. */
  async regain(): Promise<void> {
    for (const permission of this.#given) await this.#send(permission)
  }

  get #given(): readonly BrowserPermission[] {
    return this.#record.content.permissions ?? []
  }

  async #send(permission: BrowserPermission): Promise<void> {
    await this.#cdp.send('Browser.setPermission', permissionCall(permission))
  }
}
