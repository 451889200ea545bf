/**
 * Goal: the server engine is chosen by what is installed, and a demand that cannot be met gives a
 * one-line error. Method: folders with packages in their makers' layout.
 */
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync } from 'node:fs'
import { rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import t, { type Test } from 'tap'
import { chooseEngine } from '../../../../gateway/server/engine.ts'
import { loadNative, NoNativeServer } from '../../../../gateway/server/uws/native.ts'
import { ConfigError } from '../../../../runtime/config/setting.ts'
import { loadConfig } from '../../../../runtime/config/config.ts'
import { packageRoot } from '../../../../runtime/lib/package.ts'
import { playService } from '../../../helpers/gateway/gateway.ts'

const { platform, arch, versions } = process
const binary = `uws_${platform}_${arch}_${versions.modules}.node`
const ours = join(packageRoot, 'node_modules/uWebSockets.js/binaries', binary)

/** With no packages of ours above it. */
function folder(t: Test): string {
  const dir = mkdtempSync(join(tmpdir(), 'troupe-test-'))
  t.teardown(() => rmSync(dir, { recursive: true }))
  return dir
}

/** A program in its own folder, with these files as its uWebSockets.js. */
function project(dir: string, files: Readonly<Record<string, string | Buffer>>): string {
  for (const [name, content] of Object.entries(files)) {
    const path = join(dir, 'node_modules/uWebSockets.js', name)
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, content)
  }
  return pathToFileURL(join(dir, 'program.js')).href
}

const choiceIn = (program: string) => chooseEngine('auto', () => loadNative(program))

t.test('without a build that loads, node:http serves, or the demand is refused', async (t) => {
  const cases = {
    'no package': project(folder(t), {}),
    'builds for other versions of Node': project(folder(t), {
      [`uws_${platform}_${arch}_1.node`]: 'not for this Node',
    }),
    'a build that does not load': project(folder(t), { [binary]: 'not a program' }),
  }
  for (const [what, program] of Object.entries(cases)) {
    t.equal(choiceIn(program), 'node', what)
    t.throws(() => chooseEngine('uws', () => loadNative(program)), { name: 'NoNativeServer' })
  }
  t.notMatch(new NoNativeServer().message, /\n/)
})

// Its builds need a newer C library than many machines have; the build we have stands in for it.
if (existsSync(ours)) {
  t.test(
    'the official package is recognized by its layout, also above one that does not fit',
    async (t) => {
      const entry = { 'uws.js': '', 'package.json': '{ "main": "uws.js" }' }
      const dir = folder(t)
      const official = project(dir, entry)
      copyFileSync(ours, join(dir, 'node_modules/uWebSockets.js', binary))
      t.equal(choiceIn(official), 'uws')
      const nested = join(dir, 'node_modules/troupe')
      t.equal(choiceIn(project(nested, { [`binaries/${binary}`]: 'not a program' })), 'uws')
      const { App } = loadNative(official)
      t.type(App, 'function')
    },
  )
}

t.test('a setting forces one, and a wrong one is named', async (t) => {
  t.equal(loadConfig({}).SERVER_ENGINE, 'auto')
  t.equal(chooseEngine(loadConfig({ SERVER_ENGINE: 'node' }).SERVER_ENGINE), 'node')
  t.throws(
    () => loadConfig({ SERVER_ENGINE: 'bun' }),
    new ConfigError('SERVER_ENGINE', 'bun', 'use one of auto, uws, node'),
  )
})

t.test('a gateway reports its engine', async (t) => {
  for (const choice of ['auto', 'node'] as const) {
    const { gateway, close } = await playService({ env: { SERVER_ENGINE: choice } })
    t.teardown(close)
    t.equal(gateway.engine, chooseEngine(choice))
    const head = await fetch(`${gateway.url}/health/live`)
    t.equal(head.headers.has('uwebsockets'), gateway.engine === 'uws')
  }
})

t.test('npm may skip the package', async (t) => {
  const text = readFileSync(join(packageRoot, 'package.json'), 'utf8')
  const { dependencies, optionalDependencies } = JSON.parse(text)
  t.notOk('uWebSockets.js' in dependencies)
  t.ok('uWebSockets.js' in optionalDependencies)
})
