/**
 * Gives a new session the storage state that it was created with, then opens its first URL. The state
 * goes from the client to the browser and is stored nowhere between.
 */
import { fromWireError } from '../../proto/errors.ts'
import type { CommandCall } from '../../proto/commands/catalogue.ts'
import type { StorageState } from '../../proto/session/storage-state.ts'
import type { Principal } from '../routing/auth/auth.ts'
import type { CommandDispatcher } from './command-dispatcher.ts'

export class InitialState {
  readonly #commands: Pick<CommandDispatcher, 'run'>

  constructor(commands: Pick<CommandDispatcher, 'run'>) {
    this.#commands = commands
  }

  /** Throws the error with which the browser refuses the state. */
  async fill(
    caller: Pick<Principal, 'keyId' | 'tenant'>,
    sessionId: string,
    state: StorageState,
    initialUrl: string | undefined,
  ): Promise<void> {
    const actions: CommandCall[] = [{ command: 'set_storage_state', input: state }]
    if (initialUrl !== undefined) actions.push({ command: 'goto', input: { url: initialUrl } })
    const [filled] = await this.#commands.run(caller, sessionId, actions)
    // An initial URL that is slow or unreachable is no reason to refuse the session.
    if (!filled!.ok) throw fromWireError(filled!.error)
  }
}
