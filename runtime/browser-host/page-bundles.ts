/** The bundles of code that runs in pages, which the build makes. */
import { builtPath } from '../lib/package.ts'

/** What each bundle is made of, in `dist`. */
export const pageBundles = {
  /** All that the agent calls in isolated worlds; installed once in each document. */
  page: 'node-agent/in-page/page.js',
  /** For the hidden page of a clipboard, where it is installed too. */
  clipboard: 'node-agent/in-page/clipboard.js',
  /** For the hidden page that visits origins for what they store, where it is installed too. */
  storage: 'node-agent/in-page/storage/storage.js',
  /** For documents with a login form; installed too. */
  logins: 'node-agent/in-page/logins/logins.js',
  /** For sessions with a mask; installed too, and a script of each new document. */
  masking: 'node-agent/in-page/masking/masking.js',
  /** For documents whose text is selected; installed too. */
  selecting: 'node-agent/in-page/actions/selecting.js',
  // The others are sent with each call, so each is small.
  'document-state': 'node-agent/in-page/document-state.js',
  dropping: 'node-agent/in-page/dropping.js',
  frameworks: 'node-agent/in-page/snapshot/listeners/frameworks.js',
  itself: 'node-agent/in-page/itself.js',
  'page-audit': 'actors/access/job/seo/in-page/page-audit.js',
  marks: 'node-agent/in-page/marks.js',
  popups: 'node-agent/in-page/popups.js',
  scripting: 'node-agent/in-page/scripting.js',
} as const

export type PageBundle = keyof typeof pageBundles

/** The path of a script that declares `page`, an object of functions; its map is beside it. */
export const pageBundlePath = (bundle: PageBundle): string => builtPath(`page/${bundle}.js`)
