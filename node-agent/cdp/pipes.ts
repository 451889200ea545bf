/**
 * The two named pipes of a browser's debugging connection. They have names, and the browser itself
 * holds both ends of both, so that it outlives its agent: the next agent opens them and goes on.
 */
import { execFile } from 'node:child_process'
import { closeSync, constants, openSync } from 'node:fs'
import { Socket } from 'node:net'
import { promisify } from 'node:util'
import { contained } from '../../runtime/lib/network/contained.ts'

/** Their paths. */
export interface PipeNames {
  readonly toBrowser: string
  readonly fromBrowser: string
}

const { O_NONBLOCK, O_RDONLY, O_RDWR, O_WRONLY } = constants

export async function makePipes({ toBrowser, fromBrowser }: PipeNames): Promise<void> {
  await promisify(execFile)('mkfifo', ['-m', '600', toBrowser, fromBrowser])
}

/** The browser's descriptors, in the order of its debugging pipe. Closed here after its start. */
export function openBrowserEnds({ toBrowser, fromBrowser }: PipeNames) {
  const descriptors = [openSync(toBrowser, O_RDWR)]
  try {
    descriptors.push(openSync(fromBrowser, O_RDWR))
  } catch (error) {
    descriptors.forEach(closeSync)
    throw error
  }
  return { descriptors, close: () => descriptors.forEach(closeSync) }
}

export interface AgentEnds {
  readonly out: Socket
  /** Ends when the browser has ended. */
  readonly into: Socket
}

/** Throws if no browser holds the pipe. */
export function openAgentEnds({ toBrowser, fromBrowser }: PipeNames): AgentEnds {
  const writing = openSync(toBrowser, O_WRONLY | O_NONBLOCK)
  const out = contained(new Socket({ fd: writing, readable: false }))
  try {
    const fd = openSync(fromBrowser, O_RDONLY | O_NONBLOCK)
    return { out, into: contained(new Socket({ fd, writable: false })) }
  } catch (error) {
    out.destroy()
    throw error
  }
}
