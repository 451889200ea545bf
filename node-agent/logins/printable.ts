import { ServiceError } from '../../proto/errors.ts'
import type { Tab } from '../page/tabs/tab.ts'
import type { FilledValues } from './filled-values.ts'
import { inLoginPage } from './in-login-page.ts'

const { showsVeiled } = inLoginPage

/** Throws if a PDF would have, under the black, the text that the screen does not show. */
export async function assertPrintable(tab: Tab, filled: FilledValues): Promise<void> {
  if (filled.begin().length === 0 || !(await tab.evaluate(showsVeiled))) return
  const text = 'The page shows what fill_login has filled in; print it after it has navigated.'
  throw new ServiceError('conflict', text)
}
