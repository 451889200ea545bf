// Goal: the setup script does what is missing, reports it, and leaves existing things alone. No
// network is needed. Method: a small copy of this project, and a PATH with only chosen programs,
// some of them fakes.
import { execFile, execFileSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import t from 'tap'
import { neededNode, nodeRefusal } from '../../../runtime/cli/terminal/node-version.ts'
import { readRequirements } from '../../../runtime/cli/machine/requirements.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'

const script = 'runtime/deploy/setup.sh'
const list = 'runtime/deploy/debian-packages.txt'
const launcher = 'runtime/deploy/troupe.sh'
const pageCode = ['node-agent/in-page', 'actors/access/job/seo/in-page']
const copied = [
  ...[script, launcher, list, 'package.json', 'package-lock.json', 'tsconfig.json'],
  ...pageCode.map((folder) => `${folder}/tsconfig.json`),
]

const bundler =
  "import { mkdirSync } from 'node:fs'\nmkdirSync('dist/bundle', { recursive: true })\n"

function project(dir: string): string {
  for (const folder of ['proto', 'runtime/deploy', 'actors', 'gateway', ...pageCode, 'test']) {
    mkdirSync(join(dir, folder), { recursive: true })
  }
  for (const file of copied) copyFileSync(join(packageRoot, file), join(dir, file))
  symlinkSync(join(packageRoot, 'node_modules'), join(dir, 'node_modules'))
  writeFileSync(join(dir, 'proto/one.ts'), 'export const one = 1\n')
  // There are no programs to bundle.
  writeFileSync(join(dir, 'runtime/deploy/bundle.js'), bundler)
  return dir
}

interface Run {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

type Env = Readonly<Record<string, string>>

const setup = (dir: string, env: Env = {}, ...args: readonly string[]): Promise<Run> =>
  start(join(dir, script), args, env)

function start(program: string, args: readonly string[], env: Env): Promise<Run> {
  return new Promise((resolve) => {
    const whole = { PATH: process.env['PATH'] ?? '', ...env }
    const child = execFile('/bin/sh', [program, ...args], { env: whole }, (_, stdout, stderr) =>
      resolve({ code: child.exitCode ?? -1, stdout, stderr }),
    )
  })
}

const basics = ['dirname', 'node', 'find', 'sort', 'xargs', 'cksum', 'cat', 'rm', 'env', 'tr']

/**
 * A PATH of one folder: the programs that the script itself needs, and fakes that only do as
 * scripted.
 */
function pathOf(dir: string, programs: Readonly<Record<string, string>>): string {
  const bin = join(dir, 'bin')
  mkdirSync(bin)
  for (const name of basics.filter((basic) => !(basic in programs))) {
    symlinkSync(
      execFileSync('/bin/sh', ['-c', `command -v ${name}`])
        .toString()
        .trim(),
      join(bin, name),
    )
  }
  for (const [name, body] of Object.entries(programs)) {
    writeFileSync(join(bin, name), `#!/bin/sh\n${body}\n`, { mode: 0o755 })
  }
  return bin
}

const { programs: listed, fonts } = readRequirements()
type User = (typeof listed)[number]['usedBy']
const nothingToDo = (names: readonly string[]) => Object.fromEntries(names.map((one) => [one, '']))
const neededBy = (...users: readonly User[]) =>
  listed.filter(({ usedBy }) => users.includes(usedBy))
const programsFor = (...users: readonly User[]) => neededBy(...users).map(({ program }) => program)
/** All but Chromium. */
const present: Readonly<Record<string, string>> = {
  ...nothingToDo(programsFor('service', 'desktop').filter((one) => one !== 'chromium')),
  'fc-list': fontsFor(fonts.map(({ language }) => language)),
}
/** fontconfig's answer when there are fonts for these languages and a few others. */
function fontsFor(languages: readonly string[]): string {
  return languages.map((language) => `echo ':lang=aa|${language}|zu'`).join('\n')
}
const plainUser = { id: 'echo 1000' }
const root = { id: 'echo 0' }
/** Records its arguments. */
const installer = (calls: string) => ({
  'apt-get': `echo "$@" >>${calls}`,
  'apt-cache': 'echo chromium',
})

t.test('it compiles, and a second run finds nothing to do', async (t) => {
  const dir = project(t.testdir())
  t.match(await setup(dir), { code: 0, stdout: 'setup: compiling\n' })
  t.ok(existsSync(join(dir, 'dist/proto/one.js')))
  t.ok(existsSync(join(dir, 'dist/bundle')), 'programs are bundled')
  t.same(await setup(dir), { code: 0, stdout: '', stderr: '' })
})

t.test(
  'a changed source is compiled, and the output of a removed source is removed as well',
  async (t) => {
    const dir = project(t.testdir())
    await setup(dir)
    rmSync(join(dir, 'proto/one.ts'))
    writeFileSync(join(dir, 'proto/two.ts'), 'export const two = 2\n')
    t.match(await setup(dir), { code: 0, stdout: 'setup: compiling\n' })
    t.ok(existsSync(join(dir, 'dist/proto/two.js')))
    t.notOk(existsSync(join(dir, 'dist/proto/one.js')))
  },
)

t.test('a source with JSX is compiled like any other', async (t) => {
  const dir = project(t.testdir())
  const page = join(dir, 'gateway/page.tsx')
  writeFileSync(page, 'export const Page = () => <p>1</p>\n')
  t.match(await setup(dir), { code: 0 })
  t.ok(existsSync(join(dir, 'dist/gateway/page.js')), 'what was compiled from it stays')
  writeFileSync(page, 'export const Page = () => <p>2</p>\n')
  t.match(await setup(dir), { code: 0, stdout: 'setup: compiling\n' })
  t.match(readFileSync(join(dir, 'dist/gateway/page.js'), 'utf8'), '2')
})

t.test('a source that does not compile stops it, this time and the next', async (t) => {
  const dir = project(t.testdir())
  writeFileSync(join(dir, 'proto/one.ts'), 'export const one: string = 1\n')
  for (const _ of ['this time', 'the next']) {
    const { code, stdout, stderr } = await setup(dir)
    t.equal(code, 1)
    t.match(stdout + stderr, /proto\/one\.ts.*TS2322/s)
    t.match(stderr, 'do not compile')
  }
})

t.test('packages that differ from the lock file are installed', async (t) => {
  const dir = project(t.testdir())
  rmSync(join(dir, 'node_modules'))
  const npm = `echo "$@" >npm-was-called; ln -s ${join(packageRoot, 'node_modules')} node_modules`
  const programs = { ...present, ...root, chromium: '', npm, ln: 'exec /bin/ln "$@"' }
  const run = await setup(dir, { PATH: pathOf(dir, programs) })
  t.match(run, { code: 0, stdout: /^setup: installing npm packages.*\nsetup: compiling\n$/ })
  t.match(readFileSync(join(dir, 'npm-was-called'), 'utf8'), /^ci --include=dev /)
})

t.test('a server library chosen by the user is kept, and having none is fine', async (t) => {
  const file = 'node_modules/.package-lock.json'
  const lock = JSON.parse(readFileSync(join(packageRoot, file), 'utf8'))
  const installed = (packages: object, folder: string) => {
    const dir = project(folder)
    rmSync(join(dir, 'node_modules'))
    mkdirSync(join(dir, 'node_modules'))
    symlinkSync(join(packageRoot, 'node_modules/.bin'), join(dir, 'node_modules/.bin'))
    symlinkSync(join(packageRoot, 'node_modules/@types'), join(dir, 'node_modules/@types'))
    writeFileSync(join(dir, file), JSON.stringify({ ...lock, packages }))
    return setup(dir)
  }
  const { 'node_modules/uWebSockets.js': _, ...without } = lock.packages
  const official = { ...without, 'node_modules/uWebSockets.js': { version: '20.52.0' } }
  for (const [name, packages] of Object.entries({ without, official })) {
    const { code, stdout } = await installed(packages, t.testdir({ [name]: {} }))
    t.same({ code, stdout }, { code: 0, stdout: 'setup: compiling\n' }, name)
  }
})

t.test('without root and sudo it prints the exact command and stops', async (t) => {
  const dir = project(t.testdir())
  const aptGet = `echo called >${join(dir, 'apt-was-called')}`
  const PATH = pathOf(dir, { ...present, ...plainUser, 'apt-get': aptGet })
  const { code, stderr } = await setup(dir, { PATH })
  t.equal(code, 1)
  t.match(stderr, 'missing here: chromium')
  t.match(stderr, '  apt-get update && apt-get install --yes --no-install-recommends chromium\n')
  t.notOk(existsSync(join(dir, 'apt-was-called')))
})

t.test('as root it installs what is missing and nothing else', async (t) => {
  const dir = project(t.testdir())
  const calls = join(dir, 'calls')
  const { Xvfb: _, x11vnc: __, ...programs } = present
  const PATH = pathOf(dir, { ...programs, ...root, ...installer(calls) })
  const { code, stdout } = await setup(dir, { PATH })
  t.equal(code, 0)
  t.match(stdout, 'installing Debian packages: chromium xvfb x11vnc')
  t.equal(
    readFileSync(calls, 'utf8'),
    '-qq update\ninstall --yes --no-install-recommends chromium xvfb x11vnc\n',
  )
})

t.test('a font for every script: each package once, however many need it', async (t) => {
  const dir = project(t.testdir())
  const calls = join(dir, 'calls')
  const some = { 'fc-list': fontsFor(['en', 'ru', 'ko', 'und-zsye']) }
  const chromium = { chromium: '' }
  const PATH = pathOf(dir, { ...present, ...chromium, ...some, ...root, ...installer(calls) })
  t.match(await setup(dir, { PATH }), { code: 0 })
  t.match(readFileSync(calls, 'utf8'), /recommends fonts-noto-core fonts-noto-cjk\n$/)
})

t.test('packages only for recordings, tests or bench are installed for them alone', async (t) => {
  for (const users of [['recording'], ['test', 'recording'], ['bench']] as const) {
    const [user] = users
    const packages = new Set(neededBy(...users).map(({ debianPackage }) => debianPackage))
    const dir = project(t.testdir())
    const calls = join(dir, 'calls')
    const PATH = pathOf(dir, { ...present, chromium: '', ...root, ...installer(calls) })
    t.match(await setup(dir, { PATH }), { code: 0, stdout: 'setup: compiling\n', stderr: '' })
    t.notOk(existsSync(calls))
    t.match(await setup(dir, { PATH }, user), { code: 0 })
    t.match(readFileSync(calls, 'utf8'), `--no-install-recommends ${[...packages].join(' ')}\n`)
  }
  const { scripts } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
    scripts: Readonly<Record<string, string>>
  }
  t.match(scripts, { test: /setup\.sh test &&/, bench: /setup\.sh bench &&/ })
})

t.test('another Chromium or NATS counts like the packages', async (t) => {
  const dir = project(t.testdir())
  const { 'nats-server': _, ...desktop } = present
  const PATH = pathOf(dir, { ...desktop, ...plainUser, 'my-chrome': '' })
  const env = { PATH, CHROMIUM_BIN: 'my-chrome', NATS_URL: 'nats://far.example:4222' }
  t.match(await setup(dir, env), { code: 0, stderr: '' })
})

t.test('without apt-get it prints what to install', async (t) => {
  const dir = project(t.testdir())
  const { code, stderr } = await setup(dir, { PATH: pathOf(dir, { ...present, ...plainUser }) })
  t.equal(code, 1)
  t.match(stderr, /missing here: chromium\n.*package manager of this system/)
})

t.test('an old Node is refused in one line', async (t) => {
  const dir = project(t.testdir())
  const node = 'case $1 in --version) echo v18.20.4 ;; *) exit 1 ;; esac'
  const { code, stderr } = await setup(dir, { PATH: pathOf(dir, { ...present, node }) })
  t.equal(code, 1)
  const said = stderr.replace(/: \S+\n$/, '')
  t.equal(said, `setup: Node.js ${neededNode} is needed, this is v18.20.4`)
})

t.test(
  'the versions of Node are the same in setup, package.json, README.md and `up`',
  async (t) => {
    const { engines } = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {
      engines: { node: string }
    }
    t.equal(engines.node, '^20.19.0 || ^22.12.0 || >=24.0.0')
    t.equal(neededNode, '20.19, 22.12, 24 or newer')
    t.match(readFileSync(join(packageRoot, 'README.md'), 'utf8'), `Node ${neededNode}`)
    const fits = ['20.19.0', '20.20.2', '22.12.0', '24.0.0', '25.1.0']
    const refused = ['18.20.4', '20.18.3', '21.7.0', '22.11.0', '23.5.0']
    t.same(
      fits.map(nodeRefusal),
      fits.map(() => undefined),
    )
    const [check = ''] =
      /(?<=\nnode -e ')[^']+/.exec(readFileSync(join(packageRoot, script), 'utf8')) ?? []
    for (const version of [...fits, ...refused]) {
      if (refused.includes(version)) t.match(nodeRefusal(version), version)
      const asked: number[] = []
      const fake = { versions: { node: version }, exit: (code: number) => asked.push(code) }
      new Function('process', check)(fake)
      t.same(asked, [refused.includes(version) ? 1 : 0], version)
    }
  },
)

t.test(
  'before the build, the doctor says what is missing and other commands what to do',
  async (t) => {
    const dir = project(t.testdir())
    const PATH = pathOf(dir, { ...present, ...plainUser, sh: 'exec /bin/sh "$@"' })
    const troupe = (...args: readonly string[]) =>
      start(join(dir, 'runtime/deploy/troupe.sh'), args, { PATH })
    const doctor = await troupe('doctor')
    t.equal(doctor.code, 1)
    t.match(doctor.stdout, /missing Debian packages: chromium\n/)
    t.match(doctor.stdout + doctor.stderr, /nothing is built yet: `npm start`/)
    t.notOk(existsSync(join(dir, 'dist')), 'it has built nothing')
    t.match(await troupe('keys', 'list'), {
      code: 1,
      stderr: /^troupe: nothing is built yet: .+\n$/,
    })
  },
)

interface LockedPackage {
  readonly dependencies?: Readonly<Record<string, string>>
  readonly optionalDependencies?: Readonly<Record<string, string>>
}

t.test('the lock file lists every dependency, because npm ci would refuse it', async (t) => {
  const { packages } = JSON.parse(readFileSync(join(packageRoot, 'package-lock.json'), 'utf8')) as {
    packages: Readonly<Record<string, LockedPackage>>
  }
  const found = (from: string, name: string): boolean => {
    const path = `${from === '' ? '' : `${from}/`}node_modules/${name}`
    if (path in packages) return true
    if (from === '') return false
    return found(from.slice(0, Math.max(0, from.lastIndexOf('/node_modules/'))), name)
  }
  const missing = Object.entries(packages).flatMap(([path, locked]) =>
    Object.keys({ ...locked.dependencies, ...locked.optionalDependencies })
      .filter((name) => !found(path, name))
      .map((name) => `${path} needs ${name}`),
  )
  t.same(missing, [])
})
