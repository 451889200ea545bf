/**
 * The record of one browser in its folder: its processes, for the next agent's sweep, and what that
 * agent needs to go on with its session. It holds no secret in the clear; those are in the session’s log.
 */
import { readFile, rename, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { NetworkPolicy } from '../../proto/browser-host/node.ts'
import type { BrowserPermission } from '../../proto/session/setup/browser-setup.ts'
import type { DownloadedFile, StoredFile } from '../../proto/browser-host/files.ts'
import type { BrowserId } from '../../proto/ids.ts'
import { SerialQueue } from '../../runtime/lib/serial-queue.ts'
import { isMissingFile } from '../../runtime/lib/files/missing-file.ts'
import { startTimeOf, type Legacy, type ProcessGroup } from '../../runtime/process/guard.ts'
import { browserRecordName } from '../../runtime/process/machine/leftovers.ts'

export const recordName = browserRecordName

export interface ScratchRecord {
  readonly browserId: BrowserId
  /** The agent that has it; while that agent is alive, others leave the folder alone. */
  readonly agent: ProcessGroup
  /** How many agents had it before. */
  readonly turn?: number
  readonly browser?: ProcessGroup
  /** Only for headful browsers: the X server, the window manager and the VNC server. */
  readonly display?: readonly ProcessGroup[]
  /** The X server's socket, which is left over if the server is killed. */
  readonly xSocket?: string
  readonly tmpLink: string
  /** Once it is claimed; the browser of no session is of no use to the next agent. */
  readonly session?: RecordedSession
  /** Set once it is ready. */
  readonly ready?: RecordedBrowser
  readonly network?: RecordedNetwork
  /** The CDP sessions of pages that show a dialog. */
  readonly dialogs?: readonly string[]
  readonly files?: RecordedFiles
  /** {@link FilledValues}, sealed. */
  readonly filled?: string
  /** {@link LivePermissions} */
  readonly permissions?: readonly BrowserPermission[]
  /** {@link Routes}, sealed. */
  readonly routes?: string
  /** {@link VisitedOrigins} */
  readonly origins?: readonly string[]
}

export interface RecordedSession {
  readonly id: string
}

export interface RecordedBrowser {
  /** {@link CdpPipe.agentSession} */
  readonly agentSession: string
  readonly pageId: string
  readonly ownContextId: string
  readonly devtools: { readonly port: number; readonly socket?: string; readonly path: string }
  /** The port of the proxy that adds credentials, for a browser without its own network. */
  readonly loginPort?: number | undefined
  /** Wall-clock ms at which an agent took it over for the last time. */
  readonly takenAtMs?: number
  /** How often in a row the agent ended soon after it had taken it over. */
  readonly failures?: number
}

/** What is in force beside the policy of the session, and where its filter listens. */
export interface RecordedNetwork {
  readonly ofTask: NetworkPolicy | null
  readonly lingering: readonly NetworkPolicy[]
  /** The port of loopback of a filter that is not in a network of its own. */
  readonly port?: number | undefined
  /** The id of the extension that leads there. */
  readonly extension?: string | undefined
}

export interface RecordedFiles {
  readonly uploads: readonly StoredFile[]
  readonly agent: readonly StoredFile[]
  readonly downloads: readonly RecordedDownload[]
}

export interface RecordedDownload extends Omit<DownloadedFile, 'durationMs'> {
  /** The browser's id of it. */
  readonly guid: string
  readonly fileName: string
  readonly endedAtMs?: number
}

interface RecordFolder {
  readonly dir: string
  readonly tmpLink: string
}

type Change = Partial<Omit<ScratchRecord, 'browserId' | 'agent' | 'turn' | 'tmpLink'>>

export class BrowserRecord {
  readonly #path: string
  readonly #writes = new SerialQueue()
  #content: ScratchRecord
  #isStale = false
  /** Called if the record cannot be written; without it, `update` throws. */
  onFailure: ((error: unknown) => void) | undefined

  private constructor({ dir }: RecordFolder, content: ScratchRecord) {
    this.#path = join(dir, recordName)
    this.#content = content
  }

  /** `earlier`: the record of the agent that had it before. */
  static of(scratch: RecordFolder, browserId: BrowserId, earlier?: ScratchRecord): BrowserRecord {
    const agent = { pgid: process.pid, startTime: startTimeOf(process.pid) ?? '0' }
    const turn = earlier ? (earlier.turn ?? 0) + 1 : 0
    const { tmpLink } = scratch
    return new BrowserRecord(scratch, { ...earlier, browserId, agent, turn, tmpLink })
  }

  get content(): ScratchRecord {
    return this.#content
  }

  /** Whoever makes that folder has the browser, after this agent. */
  legacy(graceSeconds: number): Legacy {
    return { heir: heirOf(this.#path, this.#content.turn), graceSeconds }
  }

  /** Resolves when it is written; changes that come meanwhile are written together. */
  async update(change: Change = {}): Promise<void> {
    this.#content = { ...this.#content, ...change }
    this.#isStale = true
    await this.#writes.run(async () => {
      if (!this.#isStale) return
      this.#isStale = false
      // A record that is half written would be of no use to the next agent.
      const next = `${this.#path}.next`
      try {
        await writeFile(next, JSON.stringify(this.#content))
        await rename(next, this.#path)
      } catch (error) {
        if (!this.onFailure) throw error
        // Without its folder, the browser has ended.
        if (!isMissingFile(error)) this.onFailure(error)
      }
    })
  }
}

/** Undefined if there is none that can be read; then no process had been started. */
export async function readRecord(dir: string): Promise<ScratchRecord | undefined> {
  try {
    return JSON.parse(await readFile(join(dir, recordName), 'utf8')) as ScratchRecord
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    if (isMissingFile(error)) return undefined
    throw error
  }
}

/** The folder by which an heir takes the browser of a record; beside the record. */
export const heirOf = (recordPath: string, turn = 0): string => `${recordPath}.heir-${turn}`
