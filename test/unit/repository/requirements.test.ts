/**
 * Goal: every program that runs is installed by setup, and every installed one is used. Method:
 * read the programs that the sources name, and the list that setup installs from.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, readdirSync, readFileSync, unlinkSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { readRequirements } from '../../../runtime/cli/machine/requirements.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'
import { troupe } from '../../helpers/service/service.ts'

/** Programs that every Debian has, and npm, which comes with Node; those of systemd are only used where it is. */
const ofEveryDebian = [
  ...['sh', '/bin/sh', 'sleep', 'true', 'mkfifo', 'mount', 'umount', 'perl', 'systemd-analyze'],
  ...['apt-get', 'dpkg', 'tar', 'npm'],
]

const sources = ['runtime', 'actors', 'gateway', 'node-agent', 'test'].flatMap((folder) =>
  readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.ts') && !name.endsWith('requirements.test.ts'))
    .map((name) => join(folder, name))
    .map((path) => ({ path, text: readFileSync(join(packageRoot, path), 'utf8') })),
)

/** A program named in a call, at the start of a command prefix, or after one that leads to it. */
const started = [
  /\b(?:spawn|spawnSync|exec|execFile|execFileSync|output)\(\s*'([^']+)'/g,
  /\b(?:spawnGuarded|run)\(\s*(?:guard|options),\s*'([^']+)'/g,
  /[pP]refix = \['([^']+)'/g,
  /\[\.\.\.prefix, '([^']+)'/g,
]

const { programs, fonts } = readRequirements()

t.test('every program that a source starts is on the list', async (t) => {
  const names = new Set([...ofEveryDebian, ...programs.map(({ program }) => program)])
  const found = sources.flatMap(({ path, text }) =>
    started.flatMap((pattern) => [...text.matchAll(pattern)].map(([, name]) => ({ path, name }))),
  )
  for (const name of ['setpriv', 'unshare', 'openbox', 'xclip', 'ip', 'nsenter', 'xdotool']) {
    t.ok(
      found.some((one) => one.name === name),
      `${name} is found`,
    )
  }
  // A name with a space or a slash is a test's own command.
  const wrong = found.filter(({ name }) => !names.has(name!) && !name!.startsWith('/nowhere'))
  t.same(wrong, [], 'runtime/deploy/debian-packages.txt names it')
})

t.test('every program on the list is started somewhere, for its audience', async (t) => {
  for (const { program, usedBy } of programs) {
    const users = sources.filter(({ text }) => text.includes(`'${program}'`))
    const isUser = ({ path }: { readonly path: string }) => {
      if (usedBy === 'bench') return path.startsWith('test/bench/')
      return usedBy === 'test' ? path.startsWith('test/') : !path.startsWith('test/')
    }
    t.ok(users.some(isUser), program)
    const early = users.filter(({ path }) => usedBy === 'test' && !path.startsWith('test/'))
    t.same(early, [], `${program} is for tests only`)
  }
})

t.test('each font has its own character for the check', async (t) => {
  t.equal(new Set(fonts.map(({ character }) => character)).size, fonts.length)
  t.ok(fonts.every(({ character }) => [...character].length === 1))
})

t.test('doctor names what is missing, and the packages that contain it', async (t) => {
  const bin = t.testdir({
    sh: t.fixture('symlink', '/bin/sh'),
    setpriv: '#!/bin/sh\n',
    unshare: '#!/bin/sh\n',
    nsenter: '#!/bin/sh\n',
    bwrap: '#!/bin/sh\n',
    socat: '#!/bin/sh\n',
    ip: '#!/bin/sh\n',
    openssl: '#!/bin/sh\n',
    openbox: '#!/bin/sh\n',
    // A font for every language but two.
    'fc-list': '#!/bin/sh\ncase $1 in :lang=hi | :lang=ko) ;; *) echo A font ;; esac\n',
  })
  for (const name of [
    'setpriv',
    'unshare',
    'nsenter',
    'bwrap',
    'socat',
    'ip',
    'openssl',
    'openbox',
    'fc-list',
  ]) {
    chmodSync(join(bin, name), 0o755)
  }
  const diagnose = (more: Readonly<Record<string, string>> = {}) =>
    spawnSync(process.execPath, [troupe, 'doctor'], {
      env: { PATH: bin, CHROMIUM_BIN: '/nowhere', DATA_DIR: bin, PORT: '0', ...more },
      encoding: 'utf8',
    }).stdout
  const said = diagnose()
  t.match(said, /programs +all that the service needs/)
  t.match(said, /desktop +no Xvfb, x11vnc: no headful sessions – apt-get install xvfb x11vnc\n/)
  t.match(
    said,
    /fonts +none for Devanagari, Korean: .* – apt-get install fonts-noto-core fonts-noto-cjk\n/,
  )
  unlinkSync(join(bin, 'fc-list'))
  const bare = diagnose()
  t.match(bare, /programs +no fc-list – apt-get install fontconfig\n/)
  t.match(bare, /fonts +none for Latin, .* – apt-get install fonts-noto-core fonts-noto-cjk fonts/)
})
