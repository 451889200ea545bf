/** Sessions without and with a display that read the same fixture pages. */
import type { Test } from 'tap'
import { openBrowserHost } from '../browser/browser-host.ts'
import { openPageSession } from '../browser/page-session.ts'
import { serveFixturePages } from './fixture-pages.ts'

const viewport = { width: 1200, height: 800 }

/** Closed when the test ends. */
export async function openPageReaders(t: Test) {
  const pages = await serveFixturePages()
  t.teardown(() => pages.close())
  const host = openBrowserHost({ kept: [] })
  t.teardown(() => host.close())
  const openReader = async (active: boolean) => {
    const browser = { viewport, headless: { active }, evaluate: { active: true } }
    const { run } = await openPageSession(host, { browser })
    return {
      mode: active ? 'headless' : 'headful',
      run,
      open: (name: string) => run('navigate', { url: pages.url(name) }),
      evaluate: async (expression: string) => (await run('evaluate', { expression })).value,
      snapshot: async (tokens?: number) =>
        (await run('snapshot', { ...(tokens !== undefined && { max_tokens: tokens }) })).text,
      find: async (text: string) => (await run('find', { text })).text,
      extract: async (format: 'markdown' | 'html') => (await run('extract_text', { format })).text,
    }
  }
  return [await openReader(true), await openReader(false)] as const
}

/** Lines without their refs, whose numbers depend on what was read before. */
export const withoutRefs = (text: string) =>
  text
    .replace(/(?<=covered by )e\d+/g, 'eN')
    .split('\n')
    .map((line) => line.replace(/\be\d+ (?=[a-z])/g, ''))
