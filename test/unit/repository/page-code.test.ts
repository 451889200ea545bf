// Goal: each bundle of code that runs in pages needs nothing but a page, offers what its module
// exports, and is as small as what is sent to every document has to be; a trace leads to the source.
// Method: the bundles of the last build are run in an empty realm.
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { runInNewContext } from 'node:vm'
import t from 'tap'
import type * as itselfCode from '../../../node-agent/in-page/itself.ts'
import { inPage } from '../../../node-agent/page/tabs/in-page.ts'
import { sourceTrace } from '../../../node-agent/page/tabs/source-trace.ts'
import {
  installedFileName,
  installedFunctions,
  scriptOf,
  sentFunctions,
} from '../../../runtime/browser-host/page-functions.ts'
import { packageRoot } from '../../../runtime/lib/package.ts'
import {
  pageBundlePath,
  pageBundles,
  type PageBundle,
} from '../../../runtime/browser-host/page-bundles.ts'

const bundles = Object.entries(pageBundles) as [PageBundle, string][]

/** What an installer of a bundle leaves in a realm with these globals. */
function installedIn(realm: object, bundle: PageBundle): Readonly<Record<string, unknown>> {
  const { global, installer } = installedFunctions<{ any: () => void }>(bundle).any.installed!
  runInNewContext(`(${installer})()`, realm)
  return (realm as Readonly<Record<string, Readonly<Record<string, unknown>>>>)[global]!
}

t.test(
  'a bundle can be run where there is nothing else, and has what its module exports',
  async (t) => {
    for (const [bundle, file] of bundles) {
      const module = (await import(join(packageRoot, 'dist', file))) as object
      t.same(Object.keys(installedIn({}, bundle)).sort(), Object.keys(module).sort(), bundle)
    }
  },
)

t.test('the bundle that every document gets has at most 60 KiB', async (t) => {
  t.ok(statSync(pageBundlePath('page')).size <= 60 * 1024)
})

t.test('arguments and `this` are passed as they are', async (t) => {
  const { callItself, itself } = sentFunctions<typeof itselfCode>('itself')
  const realm = { greet: (name: string) => `Hello ${name}` }
  t.equal(runInNewContext(`(${callItself.source}).call(greet, '\`\${1}\`')`, realm), 'Hello `${1}`')
  t.equal(runInNewContext(`(${itself.source}).call(5)`), 5)
  t.equal(runInNewContext(scriptOf(itself)), undefined)
})

t.test('an installed function is only named, and what it has learned stays', async (t) => {
  const { keepFound, takeFound } = inPage
  t.equal(keepFound, inPage.keepFound)
  const realm = {}
  const call = ({ source }: { readonly source: string }, args: string) =>
    runInNewContext(`(${source})(${args})`, realm) as unknown
  t.throws(() => call(takeFound, '1'), { name: 'ReferenceError' })
  runInNewContext(`(${keepFound.installed!.installer})()`, realm)
  call(keepFound, `1, 'element'`)
  runInNewContext(`(${keepFound.installed!.installer})()`, realm)
  t.equal(call(takeFound, '1'), 'element')
  t.ok(takeFound.source.length < 100)
})

t.test('a trace names the file, line and column of the source', async (t) => {
  const realm = {}
  const page = installedIn(realm, 'page')
  try {
    // There is no document here.
    ;(page['titledLocation'] as () => void)()
    t.fail('it should have failed')
  } catch (error) {
    const { stack } = error as Error
    t.match(stack, installedFileName)
    t.match(sourceTrace(stack), /node-agent\/in-page\/document-state\.ts:3:\d+/)
  }
  t.equal(sourceTrace(undefined), undefined)
  t.equal(sourceTrace('Error: no place'), 'Error: no place')
})
