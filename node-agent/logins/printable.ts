import { ServiceError } from '../../proto/errors.ts'
import { showsMaskedText } from '../masking/masked-page.ts'
import type { FramedTab } from '../page/targeting/matching.ts'
import type { FilledValues } from './filled-values.ts'
import { inLoginPage } from './in-login-page.ts'

const { showsVeiled } = inLoginPage

/** Throws if a PDF would have, under the black, the text that the screen does not show. */
export async function assertPrintable(place: FramedTab, filled: FilledValues): Promise<void> {
  if (filled.sensitive && (await showsMaskedText(place, filled.sensitive))) {
    const text =
      'The page shows text that a pattern of sensitive_data_mask hides, and a PDF would have it; ' +
      'hide its element by a selector, or take a screenshot.'
    throw new ServiceError('conflict', text)
  }
  if (filled.begin().length === 0 || !(await place.tab.evaluate(showsVeiled))) return
  const text = 'The page shows what fill_login has filled in; print it after it has navigated.'
  throw new ServiceError('conflict', text)
}
