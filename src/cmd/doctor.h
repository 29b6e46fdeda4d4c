/* doctor: the verb `brig doctor`: what isolation this host gives, each layer tried for real. */
#ifndef BRIG_CMD_DOCTOR_H
#define BRIG_CMD_DOCTOR_H

int cmd_doctor(int argc, char **argv);

#endif
