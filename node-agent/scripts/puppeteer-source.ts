/** Puppeteer as a script for a page, from its package; read at first use. */
import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'

const file = 'puppeteer-core/lib/es5-iife/puppeteer-core-browser.js'
let source: Promise<string> | undefined

/** Declares the global `Puppeteer`. */
export function puppeteerSource(): Promise<string> {
  source ??= readFile(createRequire(import.meta.url).resolve(file), 'utf8').catch(
    (error: unknown) => {
      source = undefined
      throw error
    },
  )
  return source
}
