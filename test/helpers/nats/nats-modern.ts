/**
 * A nats-server new enough for a cluster. Debian 12 has an older one; that of Debian 13 needs only
 * libc, so its package is fetched once, from the mirror that this machine uses anyway, and unpacked
 * into a private folder.
 */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { serverRefusal } from '../../../runtime/store/nats/connection.ts'
import { serverVersion } from '../../../runtime/store/nats/server/server.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'

const exec = promisify(execFile)
const suite = 'trixie'
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
const commandMs = 120_000

export type ModernServer = { readonly bin: string } | { readonly missing: string }

/**
 * The installed server if it is new enough, otherwise the cached one, which is downloaded when
 * missing.
 */
export async function modernServer(): Promise<ModernServer> {
  const cached = join(packageRoot, 'node_modules', '.cache', 'troupe', 'nats-server')
  for (const bin of [
    'nats-server',
    '/usr/sbin/nats-server',
    join(cached, 'usr/sbin/nats-server'),
  ]) {
    if (await isModern(bin)) return { bin }
  }
  try {
    await fetchInto(cached)
    return { bin: join(cached, 'usr/sbin/nats-server') }
  } catch (error) {
    const [reason] = (error as Error).message.split('\n')
    return { missing: `no nats-server of 2.10.27 or newer here, and none to be had: ${reason}` }
  }
}

async function isModern(bin: string): Promise<boolean> {
  try {
    return serverRefusal({ version: await serverVersion(bin), cluster: 'any' }) === undefined
  } catch {
    // It is not installed there.
    return false
  }
}

async function fetchInto(target: string): Promise<void> {
  mkdirSync(dirname(target), { recursive: true })
  const dir = mkdtempSync(`${target}-`)
  try {
    for (const folder of ['lists/partial', 'cache/archives/partial', 'unpacked']) {
      mkdirSync(join(dir, folder), { recursive: true })
    }
    const sources = join(dir, 'sources.list')
    writeFileSync(sources, `deb [signed-by=${keyring}] ${await debianMirror()} ${suite} main\n`)
    const options = [
      `Dir::Etc::SourceList=${sources}`,
      'Dir::Etc::SourceParts=-',
      `Dir::State::Lists=${join(dir, 'lists')}`,
      `Dir::Cache=${join(dir, 'cache')}`,
      'Acquire::Languages=none',
    ].flatMap((option) => ['-o', option])
    const call = { cwd: dir, timeout: commandMs }
    await exec('apt-get', [...options, 'update'], call)
    await exec('apt-get', [...options, 'download', 'nats-server'], call)
    const deb = readdirSync(dir).find((name) => name.endsWith('.deb'))!
    await exec('dpkg', ['-x', deb, 'unpacked'], call)
    rmSync(target, { recursive: true, force: true })
    renameSync(join(dir, 'unpacked'), target)
  } finally {
    rmSync(dir, { recursive: true, force: true })
  }
}

async function debianMirror(): Promise<string> {
  const format = '$(ORIGIN) $(COMPONENT) $(RELEASE) $(REPO_URI)'
  const { stdout } = await exec('apt-get', ['indextargets', '--format', format], {
    timeout: commandMs,
  })
  const mirror = /^Debian main \w+ (\S+)$/m.exec(stdout)?.[1]
  if (mirror === undefined) throw new Error('this machine has no Debian mirror')
  return mirror
}
