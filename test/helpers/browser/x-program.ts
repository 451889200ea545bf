/** How a program of the host is a client of a display: where that has a network of its own, from there. */
import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { recordName, type ScratchRecord } from '../../../node-agent/files/browser-record.ts'
import type { XAddress } from '../../../node-agent/input/x11/display-connection.ts'
import { linkOf } from '../lib/processes.ts'

export interface XProgram {
  /** Comes before the program on its command line. */
  readonly prefix: readonly string[]
  readonly env: NodeJS.ProcessEnv
}

export function xProgram({ xSocket, authority }: XAddress): XProgram {
  const DISPLAY = `:${/\d+$/.exec(xSocket)![0]}`
  const env = { ...process.env, DISPLAY, XAUTHORITY: authority }
  const record = readFileSync(join(dirname(authority), recordName), 'utf8')
  const { pgid } = (JSON.parse(record) as ScratchRecord).display![0]!
  const isHosts = linkOf(`/proc/${pgid}/ns/net`) === linkOf('/proc/self/ns/net')
  const entered = ['nsenter', `--target=${pgid}`, '--user', '--preserve-credentials', '--net']
  return { prefix: isHosts ? [] : entered, env }
}
