/** Functions that run in pages, as texts: those of tests are of one line. */
import type { PageFunction } from '../../../runtime/browser-host/page-functions.ts'

export const inPageText = <R = unknown>(source: string): PageFunction<readonly [], R> => ({
  source,
})
