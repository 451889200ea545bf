/** The functions of `in-page/page.ts`, for calls in our isolated worlds. */
import { installedFunctions } from '../../../runtime/browser-host/page-functions.ts'
import type * as page from '../../in-page/page.ts'

export const inPage = installedFunctions<typeof page>('page')
