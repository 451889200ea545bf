/**
 * The language of a browser. Its `Intl` has that of Chromium's own texts, and falls back to English
 * without the file of these texts, which Debian has in a package of 117 MB. The texts do not matter
 * here, so the English file stands in for another language's, in the browser's own view of the host.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { ShownFile, ShownFolder } from '../../../runtime/browser-host/isolation/bubblewrap.ts'

/** `de-AT,de`: what pages are told that its user reads. */
export function languagesOf(locale: string): string {
  const { language } = new Intl.Locale(locale)
  return language === locale ? locale : `${locale},${language}`
}

/** Languages of which Chromium distinguishes regions: the one for each, and for all others. */
const regional: Readonly<Record<string, (locale: Intl.Locale) => string>> = {
  en: ({ region = 'US' }) => (['US', 'CA', 'PH'].includes(region) ? 'en-US' : 'en-GB'),
  es: ({ region = 'ES' }) => (region === 'ES' ? 'es' : 'es-419'),
  pt: ({ region = 'BR' }) => (region === 'BR' ? 'pt-BR' : 'pt-PT'),
  zh: (locale) => (locale.maximize().script === 'Hant' ? 'zh-TW' : 'zh-CN'),
}

const renamed: Readonly<Record<string, string>> = { no: 'nb', nn: 'nb', iw: 'he', tl: 'fil' }

/** The one of Chromium's locales that is nearest. */
export function uiLocaleOf(locale: string): string {
  const parsed = new Intl.Locale(locale)
  const { language } = parsed
  return regional[language]?.(parsed) ?? renamed[language] ?? language
}

const localeFolders = ['/usr/lib/chromium/locales', '/usr/lib/chromium-browser/locales']
const english = 'en-US.pak'

/** Undefined if Chromium has that locale, or its files are elsewhere. */
export function localeFiles(locale: string | undefined): ShownFolder | undefined {
  if (locale === undefined) return undefined
  const name = `${uiLocaleOf(locale)}.pak`
  const at = localeFolders.find((folder) => existsSync(join(folder, english)))
  if (at === undefined || existsSync(join(at, name))) return undefined
  const from = join(at, english)
  const files: readonly ShownFile[] = [
    { from, name: english },
    { from, name },
  ]
  return { at, files }
}
