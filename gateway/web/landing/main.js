// Copy buttons of the start page, and its pictures in chosen colours; it works without both.
import { offerCopies } from '../shared/copying.js'

offerCopies(document)

const { theme } = document.documentElement.dataset
for (const dark of theme ? document.querySelectorAll('picture source') : []) {
  dark.media = theme === 'dark' ? 'all' : 'not all'
}
