/** `troupe support`: one file with what a maintainer asks for first. */
import { open, writeFile } from 'node:fs/promises'
import { arch, cpus, release, totalmem, type as systemType } from 'node:os'
import { join } from 'node:path'
import { GiB, utcDay } from '../../../proto/units.ts'
import type { HostRecord } from '../../../proto/host.ts'
import { describeConfig, loadConfig, type Config } from '../../config/config.ts'
import { version } from '../../lib/package.ts'
import { sizeWord } from '../../lib/text/sizes.ts'
import { CommandFailed, type CliCommand } from '../command.ts'
import { liveHosts } from '../hosts/live-hosts.ts'
import { cliLimits } from '../limits.ts'
import { withStore } from '../with-store.ts'
import { examine } from './doctor.ts'

export const supportCommand: CliCommand = {
  usage: 'support [FILE]',
  about:
    'Write one file for a maintainer: versions, settings, checks, figures, the end of the log.',
  more:
    'It has no keys, passwords or other secrets, and nothing that was typed. It does have names of ' +
    'hosts and tenants, paths, and addresses in settings: read it before you send it.',
  arguments: [0, 1],
  settings: ['DATA_DIR', 'NATS_URL'],
  examples: ['troupe support', 'troupe support /tmp/troupe-support.txt'],
  async run({ args: [given] }) {
    const config = loadConfig()
    const file = given ?? `troupe-support-${utcDay(Date.now())}.txt`
    const parts: readonly (readonly [string, () => Promise<string> | string])[] = [
      ['Versions', versions],
      ['Settings that are not the default', () => settings(config)],
      ['Checks', checks],
      ['Processes and store', figures],
      ['End of the log', () => endOfLog(config)],
    ]
    const texts: string[] = []
    for (const [heading, part] of parts) texts.push(`# ${heading}\n\n${await textOf(part)}\n`)
    try {
      await writeFile(file, texts.join('\n'), { mode: 0o600, flag: 'wx' })
    } catch (cause) {
      throw new CommandFailed(`${file} was not written: ${(cause as Error).message}`, cause)
    }
    console.log(`wrote ${file}; read it before you send it`)
    return 0
  },
}

/** A part that cannot be had says why: that is of interest, too. */
async function textOf(part: () => Promise<string> | string): Promise<string> {
  try {
    return await part()
  } catch (error) {
    return `not available: ${(error as Error).message}`
  }
}

function versions(): string {
  const { length: cores } = cpus()
  return [
    `Troupe ${version}, Node ${process.version}`,
    `${systemType()} ${release()} ${arch()}, ${cores} cores, ${Math.round(totalmem() / GiB)} GiB`,
  ].join('\n')
}

function settings(config: Config): string {
  const changed = describeConfig(config).filter(({ value, fallback }) => value !== fallback)
  // An address may have a password before its host.
  const lines = changed.map(
    ({ name, value }) => `${name}=${value.replace(/\/\/[^/@\s]*@/g, '//…@')}`,
  )
  return lines.length === 0 ? 'none' : lines.join('\n')
}

async function checks(): Promise<string> {
  const found = await examine()
  return found
    .map(({ name, finding }) => {
      const fix = finding.state === 'ok' || finding.fix === '' ? '' : ` – ${finding.fix}`
      return `${finding.state.padEnd(4)}  ${name}: ${finding.found}${fix}`
    })
    .join('\n')
}

async function figures(): Promise<string> {
  return withStore(async (store) => {
    const hosts = await liveHosts(store)
    const usage = await store.usage()
    return [
      ...hosts.map(hostLine),
      '',
      ...usage.map(({ stream, bytes, maxBytes }) => {
        const share = Math.round((100 * bytes) / maxBytes)
        return `${stream.padEnd(20)} ${sizeWord(bytes).padStart(10)} ${share} %`
      }),
    ].join('\n')
  })
}

function hostLine({ role, nodeId, state, browsers, actors }: HostRecord): string {
  const load = { ...browsers, ...actors }
  const words = Object.entries(load).map(([name, value]) => `${name} ${JSON.stringify(value)}`)
  return `${role.padEnd(10)} ${nodeId} ${state} ${words.join(', ')}`
}

/** Only of a service whose log is a file; systemd and containers keep it elsewhere. */
async function endOfLog({ DATA_DIR }: Config): Promise<string> {
  const path = join(DATA_DIR, 'troupe.log')
  const file = await open(path).catch((cause: unknown) => {
    throw new Error(
      `${path} does not exist; add the end of it from where it is: journalctl -u troupe@up, docker logs`,
      { cause },
    )
  })
  try {
    const { size } = await file.stat()
    const from = Math.max(0, size - cliLimits.supportLogBytes)
    const { buffer, bytesRead } = await file.read({
      buffer: Buffer.alloc(Math.min(size, cliLimits.supportLogBytes)),
      position: from,
    })
    const text = buffer.subarray(0, bytesRead).toString()
    // The first line is cut, unless it is the first of the file.
    return from === 0 ? text : text.slice(text.indexOf('\n') + 1)
  } finally {
    await file.close()
  }
}
