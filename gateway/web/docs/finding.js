// The field that searches the documentation.
import { focusByKeys } from '../shared/focus-by-keys.js'

focusByKeys(document.querySelector('#docs-search'))
