/**
 * Syntax highlighting by highlight.js, with CSS classes. The types of the package would add those
 * of the DOM to the whole program, so the functions that are called are declared here.
 */
import { createRequire } from 'node:module'

interface Highlighter {
  registerLanguage(name: string, language: unknown): void
  registerAliases(aliases: readonly string[], options: { readonly languageName: string }): void
  getLanguage(name: string): unknown
  highlight(text: string, options: { readonly language: string }): { readonly value: string }
}

const load = createRequire(import.meta.url)
const highlighter = load('highlight.js/lib/core') as Highlighter

const languages = ['bash', 'csharp', 'go', 'ini', 'java', 'javascript', 'json', 'python', 'yaml']
for (const name of languages) {
  highlighter.registerLanguage(name, load(`highlight.js/lib/languages/${name}`))
}
highlighter.registerAliases(['sh'], { languageName: 'bash' })
highlighter.registerAliases(['ts', 'typescript'], { languageName: 'javascript' })

/** HTML with the text escaped; undefined for an unknown language. */
export function highlighted(text: string, language: string): string | undefined {
  if (highlighter.getLanguage(language) === undefined) return undefined
  return highlighter.highlight(text, { language }).value
}
