/* version: which brig this is, as it says in protocols. */
#ifndef BRIG_API_VERSION_H
#define BRIG_API_VERSION_H

#ifndef BRIG_VERSION
#define BRIG_VERSION "0.1.0"
#endif

#endif
