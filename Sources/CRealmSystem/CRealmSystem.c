#include "CRealmSystem.h"
